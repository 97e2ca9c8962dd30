"""Published schemas and the contract's own list of parameters in one form."""

from __future__ import annotations

from typing import Any

# Marks of the contract's list that are not JSON Schema: they are checked by calls, not by the schema.
MARKS = {"cap", "limit", "limit_error", "whole", "extra", "description", "additionalProperties"}


def comparable(schema: Any) -> Any:
    """A schema without descriptions and the contract's marks, its required names in order."""
    if isinstance(schema, list):
        return [comparable(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {name: inner if name == "required" else comparable(inner) for name, inner in schema.items() if name not in MARKS}
    if "properties" in schema:  # its keys are names of parameters, not words of JSON Schema
        plain["properties"] = {name: comparable(inner) for name, inner in schema["properties"].items()}
        plain["required"] = sorted(schema.get("required", []))
    return plain
