"""build_context_prompt: the envelope to the byte, and what fits into it."""

from __future__ import annotations

from typing import Any

import pytest

from server.memory.ports import EmbeddingError
from tests.contract.memories.support import Call
from tests.support import WordEmbedder

QUERY = "Where does Anna live?"
AROUND = "\n\n-----------------\n\nThe following is the user's prompt:\n\n"
HEAD = "The following are previously known facts:\n\n"


@pytest.fixture
def facts(call: Call, embedder: WordEmbedder) -> list[str]:
    """Three facts of 10, 20 and 5 characters, best first."""
    texts = ["a" * 10, "b" * 20, "c" * 5]
    for text, cosine in zip(texts, (0.9, 0.7, 0.5), strict=True):
        embedder.place(text, QUERY, cosine)
        call("remember", text=text, dedup_policy="insert", tags=[text[0] * 2])
    return texts


def test_envelope_with_facts(call: Call, facts: list[str]) -> None:
    done = call("build_context_prompt", user_prompt=QUERY)
    assert done == {
        "ok": True,
        "prompt": "The following are previously known facts:\n\naaaaaaaaaa\n\nbbbbbbbbbbbbbbbbbbbb\n\nccccc\n\n-----------------\n\n"
        "The following is the user's prompt:\n\nWhere does Anna live?",
    }


def test_envelope_without_facts(call: Call) -> None:
    assert call("build_context_prompt", user_prompt=QUERY, max_chars=1)["prompt"] == (
        "No relevant previously known facts were found.\n\n-----------------\n\n"
        "The following is the user's prompt:\n\nWhere does Anna live?"
    )


def test_texts_are_kept_to_the_letter(call: Call) -> None:
    text = "Anna lives in\n\n{Oslo} %s \\n -----------------"
    call("remember", text=text)
    prompt = "  Where does\r\nAnna live? {0} %d \\  "
    assert call("build_context_prompt", user_prompt=prompt)["prompt"] == HEAD + text + AROUND + prompt


def test_max_chars_caps_the_whole_prompt(call: Call, facts: list[str]) -> None:
    def kept(max_chars: int) -> int:
        prompt: str = call("build_context_prompt", user_prompt=QUERY, max_chars=max_chars)["prompt"]
        assert prompt in {HEAD + "\n\n".join(facts[:number]) + AROUND + QUERY for number in (1, 2, 3)}
        assert len(prompt) <= max_chars or facts[1] not in prompt
        return prompt.count("\n\n") - 3

    sizes = [len(HEAD + "\n\n".join(facts[:number]) + AROUND + QUERY) for number in (1, 2, 3)]
    assert [kept(size) for size in sizes] == [1, 2, 3]
    assert [kept(size - 1) for size in sizes] == [1, 1, 2]  # the first fact is there whatever it costs
    assert [kept(size + 1) for size in sizes] == [1, 2, 3]
    assert kept(1) == 1
    assert kept(2**80) == 3


def test_it_stops_at_the_first_that_does_not_fit(call: Call, facts: list[str]) -> None:
    """The third would fit, but a worse fact never stands in for a better one."""
    size = len(HEAD + facts[0] + "\n\n" + facts[2] + AROUND + QUERY)
    assert facts[2] not in call("build_context_prompt", user_prompt=QUERY, max_chars=size)["prompt"]


def test_limit_min_score_and_tags(call: Call, facts: list[str]) -> None:
    def shown(**given: Any) -> list[str]:
        prompt: str = call("build_context_prompt", user_prompt=QUERY, **given)["prompt"]
        return [fact for fact in facts if fact in prompt]

    assert shown(limit=1) == facts[:1]
    assert shown(limit=2.0) == facts[:2]
    assert shown(min_score=0.6) == facts[:2]
    assert shown(min_score=0.6, limit=1) == facts[:1]
    assert shown(min_score=1) == []
    assert shown(tags=["BB", "cc"]) == facts[1:]
    assert shown(tags=["!!!"]) == []
    assert shown(limit=None, max_chars=None, min_score=None, tags=None) == facts


def test_limit_default_and_cap(call: Call) -> None:
    for number in range(55):
        call("remember", text=f"Anna likes tea number {number:02}", dedup_policy="insert")

    def count(**given: Any) -> int:
        prompt: str = call("build_context_prompt", user_prompt="Anna tea", **given)["prompt"]
        return prompt.count("Anna likes tea")

    assert (count(), count(limit=50), count(limit=51), count(limit=10**12)) == (8, 50, 50, 50)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, "user_prompt"),
        ({"user_prompt": None}, "user_prompt"),
        ({"user_prompt": ""}, "user_prompt"),
        ({"user_prompt": " \n"}, "user_prompt"),
        ({"user_prompt": 5}, "user_prompt"),
        ({"user_prompt": "a\0"}, "NUL"),
        ({"user_prompt": "x", "limit": 0}, "limit"),
        ({"user_prompt": "x", "limit": 1.5}, "limit"),
        ({"user_prompt": "x", "max_chars": 0}, "max_chars"),
        ({"user_prompt": "x", "max_chars": -1}, "max_chars"),
        ({"user_prompt": "x", "max_chars": "9"}, "max_chars"),
        ({"user_prompt": "x", "min_score": 1.01}, "min_score"),
        ({"user_prompt": "x", "min_score": -0.01}, "min_score"),
        ({"user_prompt": "x", "tags": "a"}, "tags"),
        ({"user_prompt": "x", "query": "x"}, "query"),
    ],
)
def test_refused(refused: Call, given: dict[str, Any], named: str) -> None:
    error = refused("build_context_prompt", **given)
    assert error["code"] == "INVALID_INPUT"
    assert named in error["message"]


def test_embedding_error(call: Call, refused: Call, embedder: WordEmbedder) -> None:
    call("remember", text="Anna likes tea")
    embedder.fails = EmbeddingError("The model is gone.")
    assert refused("build_context_prompt", user_prompt="tea")["code"] == "EMBEDDING_ERROR"
