-- Who may call: clients, what the person has allowed each of them, and the public halves of the keys that sign tokens.
-- No secret is kept here: private keys stay in the homes.

CREATE TABLE oauth_clients (
    owner_id    integer NOT NULL,
    client_id   text NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('builtin', 'registered', 'static')),
    name        text NOT NULL,
    metadata    jsonb NOT NULL DEFAULT '{}',
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner_id, client_id)
);

CREATE TABLE oauth_grants (
    owner_id      integer NOT NULL,
    id            uuid NOT NULL,
    client_id     text NOT NULL,
    scopes        text[] NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    revoked_at    timestamptz,
    last_used_at  timestamptz,
    PRIMARY KEY (owner_id, id),
    FOREIGN KEY (owner_id, client_id) REFERENCES oauth_clients (owner_id, client_id) ON DELETE CASCADE
);

CREATE INDEX oauth_grants_by_client ON oauth_grants (owner_id, client_id);

CREATE TABLE signing_keys (
    owner_id    integer NOT NULL,
    kid         text NOT NULL,
    public_jwk  jsonb NOT NULL CHECK (NOT public_jwk ? 'd'),  -- never a private key
    created_at  timestamptz NOT NULL DEFAULT now(),
    retired_at  timestamptz,
    PRIMARY KEY (owner_id, kid)
);

-- Tokens for the command line and the stdio bridge are minted before the database is up, so their grants have fixed ids.
INSERT INTO oauth_clients (owner_id, client_id, kind, name) VALUES
    (1, 'ownsona-cli', 'builtin', 'ownsona token'),
    (1, 'ownsona-stdio', 'builtin', 'ownsona mcp');

INSERT INTO oauth_grants (owner_id, id, client_id, scopes) VALUES
    (1, '0d9c1f1e-6f0b-4c1a-9a55-6f776e736f01', 'ownsona-cli', ARRAY['memories:read', 'memories:write', 'memories:delete']),
    (1, '0d9c1f1e-6f0b-4c1a-9a55-6f776e736f02', 'ownsona-stdio', ARRAY['memories:read', 'memories:write', 'memories:delete']);
