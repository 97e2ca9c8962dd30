"""The frames between server and worker."""

from __future__ import annotations

import io

import pytest

from server.embedding.frames import FrameError, read_frame, write_frame


def test_frames_come_back_in_order_with_any_text() -> None:
    stream = io.BytesIO()
    write_frame(stream, {"texts": ["lone \ud800, NUL \0, 한\n"]})
    write_frame(stream, {"id": 2}, b"\x00\xff" * 1000)
    stream.seek(0)
    assert read_frame(stream) == ({"texts": ["lone \ud800, NUL \0, 한\n"]}, b"")
    assert read_frame(stream) == ({"id": 2}, b"\x00\xff" * 1000)
    assert read_frame(stream) is None


@pytest.mark.parametrize("kept", [3, 10, -1])
def test_a_cut_frame_is_an_error_and_no_end(kept: int) -> None:
    stream = io.BytesIO()
    write_frame(stream, {"id": 1}, b"12345678")
    with pytest.raises(FrameError):
        read_frame(io.BytesIO(stream.getvalue()[:kept]))
