-- Who may call: clients, what the person has allowed each of them, and the public halves of the keys that sign tokens.
-- No usable secret is kept here: private keys stay in the homes, all else is kept as its SHA-256 (of 256 random bits) or argon2 hash.

CREATE TABLE oauth_clients (
    owner_id     integer NOT NULL,
    client_id    text NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('builtin', 'registered', 'static')),
    name         text NOT NULL,
    metadata     jsonb NOT NULL DEFAULT '{}',  -- as the client registered it
    secret_hash  bytea,  -- NULL: a public client
    created_at   timestamptz NOT NULL DEFAULT now(),
    approved_at  timestamptz,  -- the first time; clients that never were are dropped when there are too many
    PRIMARY KEY (owner_id, client_id)
);

CREATE TABLE oauth_grants (
    owner_id      integer NOT NULL,
    id            uuid NOT NULL,
    client_id     text NOT NULL,
    scopes        text[] NOT NULL,
    path          text,  -- of the endpoint that it is for; NULL: the token says
    created_at    timestamptz NOT NULL DEFAULT now(),
    revoked_at    timestamptz,
    last_used_at  timestamptz,
    last_tool     text,
    PRIMARY KEY (owner_id, id),
    FOREIGN KEY (owner_id, client_id) REFERENCES oauth_clients (owner_id, client_id) ON DELETE CASCADE
);

CREATE INDEX oauth_grants_by_client ON oauth_grants (owner_id, client_id);

-- Authorization requests that wait for the person.
CREATE TABLE oauth_requests (
    owner_id        integer NOT NULL,
    id_hash         bytea NOT NULL,
    cookie_hash     bytea NOT NULL,  -- of the browser that may finish it
    client_id       text NOT NULL,
    redirect_uri    text NOT NULL,
    redirect_given  boolean NOT NULL,
    state           text,
    scopes          text[] NOT NULL,
    path            text NOT NULL,
    code_challenge  text NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    expires_at      timestamptz NOT NULL,
    decision        text CHECK (decision IN ('allowed', 'denied')),
    PRIMARY KEY (owner_id, id_hash),
    FOREIGN KEY (owner_id, client_id) REFERENCES oauth_clients (owner_id, client_id) ON DELETE CASCADE
);

CREATE TABLE oauth_codes (
    owner_id        integer NOT NULL,
    code_hash       bytea NOT NULL,
    client_id       text NOT NULL,
    grant_id        uuid NOT NULL,  -- the grant begins when the code is redeemed
    redirect_uri    text,  -- NULL: the request named none
    scopes          text[] NOT NULL,
    path            text NOT NULL,
    code_challenge  text NOT NULL,
    expires_at      timestamptz NOT NULL,
    used_at         timestamptz,
    PRIMARY KEY (owner_id, code_hash),
    FOREIGN KEY (owner_id, client_id) REFERENCES oauth_clients (owner_id, client_id) ON DELETE CASCADE
);

-- Opaque tokens: refresh tokens, and the static ones that the person makes.
CREATE TABLE oauth_tokens (
    owner_id    integer NOT NULL,
    token_hash  bytea NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('refresh', 'static')),
    grant_id    uuid NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz,
    used_at     timestamptz,  -- of a refresh token: when it was first exchanged
    PRIMARY KEY (owner_id, token_hash),
    FOREIGN KEY (owner_id, grant_id) REFERENCES oauth_grants (owner_id, id) ON DELETE CASCADE
);

CREATE INDEX oauth_tokens_by_grant ON oauth_tokens (owner_id, grant_id);

-- Requests per minute and address, and wrong passwords in a row.
CREATE TABLE oauth_rates (
    owner_id  integer NOT NULL,
    kind      text NOT NULL,
    address   text NOT NULL,
    minute    timestamptz NOT NULL,
    requests  integer NOT NULL,
    PRIMARY KEY (owner_id, kind, address)
);

CREATE TABLE oauth_logins (
    owner_id       integer NOT NULL,
    username       text,
    password_hash  text,
    failures       integer NOT NULL DEFAULT 0,
    last_try_at    timestamptz,
    locked_until   timestamptz,
    PRIMARY KEY (owner_id)
);

CREATE TABLE signing_keys (
    owner_id       integer NOT NULL,
    kid            text NOT NULL,
    public_jwk     jsonb NOT NULL CHECK (NOT public_jwk ? 'd'),  -- never a private key
    created_at     timestamptz NOT NULL DEFAULT now(),
    superseded_at  timestamptz,  -- its home signs with a newer one; good until its last tokens have expired
    retired_at     timestamptz,
    PRIMARY KEY (owner_id, kid)
);

-- Tokens for the command line and the stdio bridge are minted before the database is up, so their grants have fixed ids.
INSERT INTO oauth_clients (owner_id, client_id, kind, name) VALUES
    (1, 'ownsona-cli', 'builtin', 'ownsona token'),
    (1, 'ownsona-stdio', 'builtin', 'ownsona mcp');

INSERT INTO oauth_grants (owner_id, id, client_id, scopes) VALUES
    (1, '0d9c1f1e-6f0b-4c1a-9a55-6f776e736f01', 'ownsona-cli', ARRAY['memories:read', 'memories:write', 'memories:delete']),
    (1, '0d9c1f1e-6f0b-4c1a-9a55-6f776e736f02', 'ownsona-stdio', ARRAY['memories:read', 'memories:write', 'memories:delete']);
