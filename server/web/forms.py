"""Strict reading of query strings and form bodies."""

from __future__ import annotations

from urllib.parse import parse_qsl

MAX_BODY = 64 * 1024
MAX_FIELDS = 50
Parameters = dict[str, list[str]]


class BadFormError(ValueError):
    """The form cannot be used; the message says why and quotes nothing."""


def read_form(encoded: bytes, repeatable: frozenset[str] = frozenset()) -> Parameters:
    """Names and values of an `application/x-www-form-urlencoded` text. Empty values count as left out (RFC 6749 3.1).

    Raises BadFormError for what is too much, no UTF-8, holds control characters, or is given twice without being `repeatable`.
    """
    if len(encoded) > MAX_BODY:
        raise BadFormError(f"The parameters are longer than {MAX_BODY} bytes.")
    try:
        pairs = parse_qsl(encoded.decode("ascii"), errors="strict", max_num_fields=MAX_FIELDS)
    except ValueError:
        raise BadFormError("The parameters are not form-encoded UTF-8, or there are too many.") from None
    parameters: Parameters = {}
    for name, value in pairs:
        if any(ord(char) < 32 or ord(char) == 127 for char in name + value):
            raise BadFormError("A parameter holds control characters.")
        values = parameters.setdefault(name, [])
        if values and name not in repeatable:
            raise BadFormError("A parameter is given more than once.")
        values.append(value)
    return parameters
