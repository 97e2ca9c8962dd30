"""How a long text becomes several overlapping windows, and how windows are packed into batches for the model."""

from __future__ import annotations

from collections.abc import Sequence


def spans(length: int, size: int, overlap: int) -> list[tuple[int, int]]:
    """Start and end of each window over `length` tokens, in order; at least one window.

    No window is longer than `size`, neighbours share at least `overlap` tokens, and all but a lone window have the full
    size: what the overlap leaves over is spread evenly, so the last window is never a tiny rest.
    """
    if not 0 <= overlap < size:
        raise ValueError("the overlap must be smaller than the window")
    if length <= size:
        return [(0, length)]
    steps = -(-(length - size) // (size - overlap))
    starts = [step * (length - size) // steps for step in range(steps + 1)]
    return [(start, start + size) for start in starts]


def pack(lengths: Sequence[int], tokens: int, sequences: int) -> list[list[int]]:
    """Indices of `lengths` in batches: each at most `sequences` long and, unless it holds one index, `tokens` in sum.

    Windows of like length share a batch, which is what the model computes fastest.
    """
    batches: list[list[int]] = []
    room = 0
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if not batches or lengths[index] > room or len(batches[-1]) == sequences:
            batches.append([])
            room = tokens
        batches[-1].append(index)
        room -= lengths[index]
    return batches
