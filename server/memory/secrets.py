"""Shapes of passwords and keys that must not be stored: what an assistant is told ends up in many prompts."""

from __future__ import annotations

import re

from server.memory.model import SecretRejected

# What a person calls it, and its shape. Each pattern needs the whole prefix and a length that ordinary words do not reach.
SHAPES: tuple[tuple[str, str], ...] = (
    ("an Anthropic API key", r"sk-ant-[A-Za-z0-9_-]{16,}"),
    ("an OpenAI API key", r"sk-proj-[A-Za-z0-9_-]{16,}"),
    ("an OpenAI API key", r"sk-[A-Za-z0-9]{20,}"),
    ("a Stripe key", r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("a GitHub token", r"gh[pousr]_[A-Za-z0-9]{30,}"),
    ("a GitHub token", r"github_pat_[A-Za-z0-9_]{60,}"),
    ("a GitLab token", r"glpat-[A-Za-z0-9_-]{20,}"),
    ("an OwnSona token", r"ownsona_pat_[A-Za-z0-9_-]{40,}"),
    ("an npm token", r"npm_[A-Za-z0-9]{36,}"),
    ("an AWS access key", r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("a Slack token", r"xox[baprs]-[A-Za-z0-9-]{10,}"),
    ("a Google API key", r"AIza[A-Za-z0-9_-]{30,}"),
    ("a JSON Web Token", r"eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
)
_PRIVATE_KEY = re.compile(r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_COMPILED = [(name, re.compile(rf"(?<![A-Za-z0-9]){pattern}")) for name, pattern in SHAPES]


def secret_shape(text: str) -> str | None:
    """What the text seems to hold ("an AWS access key"), or None."""
    if _PRIVATE_KEY.search(text):
        return "a private key"
    return next((name for name, pattern in _COMPILED if pattern.search(text)), None)


def refuse_secrets(text: str) -> None:
    """Raises SecretRejected, which names the kind and never the value."""
    kind = secret_shape(text)
    if kind:
        raise SecretRejected(
            f"The text looks like it holds {kind}. It was not stored: keep secrets in a password manager, not in memories."
        )
