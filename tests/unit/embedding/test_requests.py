"""The order in which texts go to the worker."""

from __future__ import annotations

from server.embedding.requests import SLICE_CHARACTERS, SLICE_TEXTS, Item, Priority, RequestQueue


def queue_of(*items: Item) -> RequestQueue:
    queue = RequestQueue()
    for item in items:
        queue.put(item)
    return queue


def test_texts_of_several_callers_go_together_in_order_of_arrival() -> None:
    queue = queue_of(*(Item(f"text {number}", Priority.BATCH) for number in range(SLICE_TEXTS + 3)))
    assert [item.text for item in queue.take(Priority.BATCH)] == [f"text {number}" for number in range(SLICE_TEXTS)]
    assert len(queue.take(Priority.BATCH)) == 3
    assert queue.take(Priority.BATCH) == []
    assert not queue


def test_priorities_do_not_mix() -> None:
    queue = queue_of(Item("passage", Priority.BATCH), Item("query", Priority.QUERY), Item("single", Priority.SINGLE))
    assert [item.text for item in queue.take(Priority.QUERY)] == ["query"]
    assert [item.text for item in queue.take(Priority.SINGLE)] == ["single"]
    assert bool(queue)


def test_a_slice_is_bounded_in_characters_but_never_empty() -> None:
    queue = queue_of(*(Item("x" * (SLICE_CHARACTERS + 1), Priority.BATCH) for _ in range(2)))
    assert len(queue.take(Priority.BATCH)) == 1
    assert len(queue.take(Priority.BATCH)) == 1


def test_after_a_death_a_text_keeps_its_place_and_goes_alone() -> None:
    queue = queue_of(*(Item(f"text {number}", Priority.BATCH) for number in range(5)))
    taken = queue.take(Priority.BATCH)[:3]
    queue.put(Item("new", Priority.BATCH))
    for item in reversed(taken):
        item.attempts = 1
        queue.put(item)
    assert [[item.text for item in queue.take(Priority.BATCH)] for _ in range(4)] == [["text 0"], ["text 1"], ["text 2"], ["new"]]


def test_drain_takes_everything() -> None:
    queue = queue_of(Item("passage", Priority.BATCH), Item("query", Priority.QUERY))
    assert {item.text for item in queue.drain()} == {"passage", "query"}
    assert not queue
