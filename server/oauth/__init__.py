"""Who may call: signing keys, access tokens (RFC 9068) and the checks that a resource server makes."""
