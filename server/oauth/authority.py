"""The authorization server: authlib's grants with the rules that it leaves open.

What authlib would let through is closed here: PKCE is S256 and always required, codes and refresh tokens are used up in the
statement that issues the new ones, every token is bound to one endpoint, and an unknown client is told so with 401.
Everything blocks; the web side calls it in a thread.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from authlib.oauth2.base import OAuth2Error
from authlib.oauth2.rfc6749 import (
    AuthorizationServer,
    InvalidClientError,
    InvalidGrantError,
    InvalidRequestError,
    InvalidScopeError,
    OAuth2Payload,
    OAuth2Request,
)
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant, RefreshTokenGrant
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge

from server.oauth.builtin import ALL_SCOPES, OWNER_ID
from server.oauth.opaque import new_secret
from server.oauth.records import Client, Code, OAuthStore, Pending, RefreshToken
from server.oauth.redirects import answer_address
from server.oauth.resources import Resources, UnknownResourceError
from server.oauth.tokens import LIFETIME, TokenError, TokenRequest, TokenVerifier

logging.getLogger("authlib").setLevel(logging.WARNING)  # below that it logs the tokens that it issues

AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"]
GRANT_TYPES = ["authorization_code", "refresh_token"]
MAX_STATE_CHARS = 4096
_CLIENT_ID = re.compile(r"[A-Za-z0-9_.-]{1,200}")
_S256 = re.compile(r"[A-Za-z0-9_-]{43}")


class InvalidTargetError(OAuth2Error):
    """RFC 8707: the resource is not one of ours, or not the one that was granted."""

    error = "invalid_target"
    description = "The resource is not an MCP endpoint of this server, or not the one that was granted."


class RefusedRequestError(Exception):
    """An authorization request that ends here: `redirect` says where the client learns of it; without it, the person does."""

    def __init__(self, error: str, redirect: str | None) -> None:
        super().__init__(error)
        self.error = error
        self.redirect = redirect


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to a client: the body as a JSON object."""

    status: int
    body: Mapping[str, Any]
    headers: tuple[tuple[str, str], ...] = ()


class Payload(OAuth2Payload):
    """The parameters of one request."""

    def __init__(self, parameters: Mapping[str, list[str]]) -> None:
        self._datalist = dict(parameters)
        self._data = {name: values[0] for name, values in parameters.items()}

    @property
    def data(self) -> Mapping[str, str]:
        return self._data

    @property
    def datalist(self) -> Mapping[str, list[str]]:
        return self._datalist


class Request(OAuth2Request):
    """One request as authlib sees it. Host and transport are the guards' business, so the address is always the local one."""

    def __init__(self, method: str, parameters: Mapping[str, list[str]], authorization: str | None = None) -> None:
        super().__init__(method, "http://127.0.0.1/", headers={"Authorization": authorization} if authorization else {})
        self.payload = self.parameters = Payload(parameters)

    @property
    def args(self) -> Mapping[str, str]:
        return self.parameters.data

    @property
    def form(self) -> Mapping[str, str]:
        return self.parameters.data

    @property
    def resources(self) -> list[str]:
        """All resource indicators."""
        return self.parameters.datalist.get("resource", [])


class S256Only(CodeChallenge):
    """PKCE for every client, confidential ones too, and without the method `plain`, which protects nothing."""

    SUPPORTED_CODE_CHALLENGE_METHOD = ("S256",)

    def validate_code_challenge(self, grant: Any, redirect_uri: str) -> None:
        """Also refuses what is no SHA-256 in base64url."""
        data = grant.request.payload.data
        if data.get("code_challenge_method") != "S256" or not _S256.fullmatch(data.get("code_challenge", "")):
            raise InvalidRequestError("PKCE is required: send code_challenge_method=S256 and the code_challenge.")
        super().validate_code_challenge(grant, redirect_uri)


class Target:
    """Extension of the code grant: the request must name an endpoint of ours, or none."""

    def __call__(self, grant: Any) -> None:
        grant.register_hook("after_validate_authorization_request_payload", self.check)

    def check(self, grant: Any, _redirect_uri: str) -> None:
        """Before the person is asked."""
        grant.server.target(grant.request)
        if len(grant.request.payload.state or "") > MAX_STATE_CHARS:
            raise InvalidRequestError("The state is too long.")


class Issuing:
    """What both grants share: who authenticates, and what a token response holds."""

    TOKEN_ENDPOINT_AUTH_METHODS = AUTH_METHODS
    request: Request
    server: Authority

    def authenticate_user(self, _credential: Code | RefreshToken) -> int:
        """There is one person here, and the grant holds or the credential was not found."""
        return OWNER_ID

    def check_target(self, path: str) -> None:
        """A token request may repeat the resource, and may not change it."""
        if self.request.resources and self.server.target(self.request) != path:
            raise InvalidTargetError

    def token(self, credential: Code | RefreshToken, scopes: Iterable[str], *, refreshable: bool) -> dict[str, Any]:
        """A token response. The refresh token is good once it is saved."""
        scopes = tuple(scopes)
        response: dict[str, Any] = {
            "access_token": self.server.access_token(credential, scopes),
            "token_type": "Bearer",
            "expires_in": LIFETIME,
            "scope": " ".join(scopes),
        }
        return {**response, "refresh_token": new_secret()} if refreshable else response


class CodeGrant(Issuing, AuthorizationCodeGrant):
    """The authorization code grant."""

    def query_authorization_code(self, code: str, client: Client) -> Code | None:
        """Only the client's own."""
        found = self.server.store.code(code)
        return found if found is not None and found.client_id == client.client_id else None

    def validate_token_request(self) -> None:
        """Client, code, redirect address, verifier, resource. Nothing is used up yet."""
        super().validate_token_request()
        self.check_target(self.request.authorization_code.path)

    def generate_token(self, *, include_refresh_token: bool, **_: Any) -> dict[str, Any]:
        """Not valid before `save_token` has succeeded."""
        code = self.request.authorization_code
        return self.token(code, code.scopes, refreshable=include_refresh_token)

    def save_token(self, token: Mapping[str, Any]) -> None:
        """Of all that redeem one code at once, one gets through."""
        if not self.server.store.redeem(self.request.authorization_code, token.get("refresh_token")):
            raise InvalidGrantError("The code was used before.")

    def delete_authorization_code(self, authorization_code: Code) -> None:
        """`save_token` has used it up."""


class RefreshGrant(Issuing, RefreshTokenGrant):
    """The refresh token grant, with rotation."""

    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token: str) -> RefreshToken | None:
        """Only the client's own."""
        return self.server.store.refresh_token(refresh_token, self.request.client.client_id)

    def _validate_token_scope(self, token: RefreshToken) -> None:
        """Narrowed to what was granted, never widened; what is not known here is no error."""
        asked = {scope for scope in (self.request.payload.scope or "").split() if scope in ALL_SCOPES}
        if asked and not asked & set(token.scopes):
            raise InvalidScopeError
        self._scopes = tuple(scope for scope in token.scopes if scope in asked) or token.scopes

    def validate_token_request(self) -> None:
        """Client, token, scope, resource. Nothing is used up yet."""
        super().validate_token_request()
        self.check_target(self.request.refresh_token.path)

    def generate_token(self, **_: Any) -> dict[str, Any]:
        """Not valid before `save_token` has succeeded."""
        return self.token(self.request.refresh_token, self._scopes, refreshable=True)

    def save_token(self, token: Mapping[str, Any]) -> None:
        """Exchange the old refresh token for the new one."""
        if not self.server.store.rotate(self.request.refresh_token, token["refresh_token"]):
            raise InvalidGrantError("The refresh token is no longer good.")

    def revoke_old_credential(self, refresh_token: RefreshToken) -> None:
        """`save_token` has done it."""


@dataclass(frozen=True, slots=True)
class Revocable:
    """A token to revoke: it ends the whole grant, whichever token of it is sent."""

    client_id: str
    grant_id: str

    def check_client(self, client: Client) -> bool:
        """Whether it is this client's."""
        return self.client_id == client.client_id


class Revocation(RevocationEndpoint):
    """RFC 7009, for public clients too."""

    CLIENT_AUTH_METHODS = AUTH_METHODS

    def check_params(self, request: Request, _client: Client) -> None:
        """A hint about the kind is not needed, and an unknown one is no error."""
        if "token" not in request.form:
            raise InvalidRequestError("Missing 'token' in request.")

    def query_token(self, token_string: str, _hint: str | None) -> Revocable | None:
        """By its digest, or as an access token of ours."""
        found: Revocable | None = self.server.revocable(token_string)
        return found

    def revoke_token(self, token: Revocable, _request: Request) -> None:
        """From the next call on."""
        self.server.store.revoke_grant(token.grant_id)


class Authority(AuthorizationServer):
    """The authorization server over its store. `sign` mints an access token."""

    def __init__(self, store: OAuthStore, resources: Resources, sign: Callable[[TokenRequest], str], verifier: TokenVerifier) -> None:
        super().__init__()
        self.store = store
        self.resources = resources
        self._sign = sign
        self._verifier = verifier
        self.register_grant(CodeGrant, [S256Only(), Target()])
        self.register_grant(RefreshGrant)
        self.register_endpoint(Revocation)

    @property
    def issuer(self) -> str:
        """On every answer."""
        return self.resources.site.issuer

    def authorization_request(self, parameters: Mapping[str, list[str]]) -> Pending:
        """What the person shall be asked. Raises RefusedRequestError."""
        request = Request("GET", parameters)
        try:
            grant = self.get_consent_grant(request)
        except OAuth2Error as error:
            raise self._refused(request, error) from None
        except ValueError:  # authlib cannot put the faulty value into its message
            raise RefusedRequestError("invalid_request", None) from None
        path = self.target(request)
        return Pending(
            client_id=request.client.client_id,
            client_name=request.client.name,
            redirect_uri=grant.redirect_uri,
            redirect_given="redirect_uri" in parameters,
            state=request.payload.state,
            scopes=self.resources.narrow(path, request.scope.split()),
            path=path,
            code_challenge=request.payload.data["code_challenge"],
        )

    def answer(self, pending: Pending, code: str) -> str:
        """Where the browser goes with the person's answer."""
        if pending.decision == "allowed":
            return self._address(pending.redirect_uri, pending.state, code=code)
        return self._address(
            pending.redirect_uri, pending.state, error="access_denied", error_description="The person has not allowed the access."
        )

    def token_reply(self, parameters: Mapping[str, list[str]], authorization: str | None) -> Reply:
        """The token endpoint."""
        if "grant_type" not in parameters:
            return self._error_reply(InvalidRequestError("Missing 'grant_type' in request."))
        return self._reply(self.create_token_response, Request("POST", parameters, authorization))

    def revocation_reply(self, parameters: Mapping[str, list[str]], authorization: str | None) -> Reply:
        """The revocation endpoint."""
        request = Request("POST", parameters, authorization)
        return self._reply(partial(self.create_endpoint_response, "revocation"), request)

    def target(self, request: Request) -> str:
        """The endpoint that a request names. Raises InvalidTargetError."""
        try:
            return self.resources.path(request.resources)
        except UnknownResourceError:
            raise InvalidTargetError from None

    def access_token(self, credential: Code | RefreshToken, scopes: tuple[str, ...]) -> str:
        """A signed token of a grant."""
        audience = self.resources.audience(credential.path)
        return self._sign(TokenRequest(self.issuer, audience, str(OWNER_ID), credential.client_id, credential.grant_id, scopes))

    def revocable(self, token: str) -> Revocable | None:
        """The grant of a refresh token, or of an access token that has not expired."""
        found = self.store.grant_of(token)
        if found is not None:
            return Revocable(*found)
        audiences = frozenset().union(*(self.resources.site.audiences(path) for path in self.resources.scopes))
        try:
            access = self._verifier.verify(token, audiences)
        except TokenError:
            return None
        return Revocable(access.client_id, access.grant)

    # What authlib asks for.

    def query_client(self, client_id: str) -> Client | None:
        """A registered client."""
        return self.store.client(client_id) if _CLIENT_ID.fullmatch(client_id) else None

    def authenticate_client(self, request: Request, methods: list[str], endpoint: str = "token") -> Any:
        """401 in every case: that is what makes clients register again."""
        try:
            return super().authenticate_client(request, methods, endpoint)
        except InvalidClientError:
            raise InvalidClientError("The client is not known here, or its secret is wrong. Register it again.", status_code=401) from None

    def create_oauth2_request(self, request: Request) -> Request:
        """It is one already."""
        return request

    def handle_response(self, status: int, body: Any, headers: Iterable[tuple[str, str]]) -> Reply:
        """Errors and tokens alike."""
        return Reply(status, dict(body), tuple((name, value) for name, value in headers if name.lower() == "www-authenticate"))

    def send_signal(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Nobody listens."""

    def _reply(self, respond: Callable[[Request], Reply], request: Request) -> Reply:
        try:
            return respond(request)
        except ValueError:  # authlib cannot decode a value, or not put it into its message
            return self._error_reply(InvalidRequestError("A parameter holds characters that are not allowed."))

    def _error_reply(self, error: OAuth2Error) -> Reply:
        return self.handle_response(*error())

    def _refused(self, request: Request, error: OAuth2Error) -> RefusedRequestError:
        name = "invalid_request" if "response_type" not in request.payload.data else error.error
        if not error.redirect_uri:
            return RefusedRequestError(name, None)
        values = {"error": name, "error_description": error.get_error_description()}
        return RefusedRequestError(
            name, self._address(error.redirect_uri, request.payload.state, **{key: value for key, value in values.items() if value})
        )

    def _address(self, redirect_uri: str, state: str | None, **values: str) -> str:
        """The one place where an answer is put into a redirect: always with state and issuer (RFC 9207)."""
        parameters = [*values.items(), *([("state", state)] if state is not None else []), ("iss", self.issuer)]
        return answer_address(redirect_uri, parameters)
