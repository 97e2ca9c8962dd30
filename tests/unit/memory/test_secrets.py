"""Secret shapes: what must be refused, and what must not be."""

from __future__ import annotations

import pytest

from server.memory.model import SecretRejected
from server.memory.secrets import refuse_secrets, secret_shape

A = "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6dE9fG2hI5jK8lM1nO4pQ7rS0tU3vW6xY9zA"

SECRETS = {
    "sk-proj-" + A[:16]: "an OpenAI API key",
    "sk-" + A[:20]: "an OpenAI API key",
    "sk-ant-" + A[:16]: "an Anthropic API key",
    "ghp_" + A[:30]: "a GitHub token",
    "ghs_" + A[:30]: "a GitHub token",
    "gho_" + A[:30]: "a GitHub token",
    "ghu_" + A[:30]: "a GitHub token",
    "ghr_" + A[:30]: "a GitHub token",
    "github_pat_" + A[:60]: "a GitHub token",
    "AKIA" + "ABCDEFGH12345678": "an AWS access key",
    "ASIA" + "ABCDEFGH12345678": "an AWS access key",
    "xoxb-" + "1234567890": "a Slack token",
    "xoxa-" + "1234567890": "a Slack token",
    "xoxp-" + "1234567890": "a Slack token",
    "xoxr-" + "1234567890": "a Slack token",
    "xoxs-" + "1234567890": "a Slack token",
    "AIza" + A[:30]: "a Google API key",
    "glpat-" + A[:20]: "a GitLab token",
    "sk_live_" + A[:24]: "a Stripe key",
    "npm_" + A[:36]: "an npm token",
    "eyJhbGci" + "." + "eyJzdWIi" + "." + A[:8]: "a JSON Web Token",
    "-----BEGIN " + "PRIVATE KEY-----": "a private key",
    "-----BEGIN " + "RSA PRIVATE KEY-----": "a private key",
    "-----BEGIN " + "OPENSSH PRIVATE KEY-----": "a private key",
    "-----BEGIN " + "PGP PRIVATE KEY BLOCK-----": "a private key",
}


@pytest.mark.parametrize(("secret", "kind"), SECRETS.items())
def test_secrets_are_refused_wherever_they_stand(secret: str, kind: str) -> None:
    for text in (secret, f"My key is {secret}, keep it", f'token="{secret}"', f"x\n{secret}\ny", f"钥匙{secret}"):
        assert secret_shape(text) == kind
        with pytest.raises(SecretRejected) as refused:
            refuse_secrets(text)
        assert secret not in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "Seat SK-12 is mine",
        "We use text-embedding-3-small",
        "AKIA1234",
        "AKIA" + "ABCDEFGH123456789",  # one too long
        "123e4567-e89b-12d3-a456-426614174000",
        "Call +1 (555) 010-9999",
        "Reservation XK92-1181-AA",
        "sk-" + A[:19],
        "ghp_" + A[:29],
        "risk-" + A[:25],
        "BEGIN PUBLIC KEY",
        "-----BEGIN " + "PUBLIC KEY-----",
        "eyJ is how a token begins",
        "The ask-anthropic-team-about-it channel",
    ],
)
def test_ordinary_texts_are_not(text: str) -> None:
    assert secret_shape(text) is None
