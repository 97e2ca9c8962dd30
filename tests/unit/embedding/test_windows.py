"""Windows over long texts, and how they are packed."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.embedding.windows import pack, spans


@given(length=st.integers(0, 5000), size=st.integers(1, 300), overlap=st.integers(0, 299))
def test_windows_cover_everything_in_order_with_the_overlap(length: int, size: int, overlap: int) -> None:
    if overlap >= size:
        with pytest.raises(ValueError, match="overlap"):
            spans(length, size, overlap)
        return
    found = spans(length, size, overlap)
    assert found[0][0] == 0
    assert found[-1][1] == length
    for (start, end), (following, _) in pairwise(found):
        assert start < following <= end - overlap
    assert all(end - start == min(size, length) for start, end in found)


def test_no_more_windows_than_needed() -> None:
    assert spans(192, 192, 48) == [(0, 192)]
    assert spans(193, 192, 48) == [(0, 192), (1, 193)]
    assert len(spans(192 + 144, 192, 48)) == 2
    assert len(spans(192 + 145, 192, 48)) == 3


@given(lengths=st.lists(st.integers(1, 510), max_size=300), tokens=st.integers(64, 512), sequences=st.integers(1, 64))
def test_every_window_is_in_one_batch_and_batches_keep_their_bounds(lengths: list[int], tokens: int, sequences: int) -> None:
    batches = pack(lengths, tokens, sequences)
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) <= sequences
        assert len(batch) == 1 or sum(lengths[index] for index in batch) <= tokens
