"""Moments that can be meant, to the microsecond."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from server.memory.domain import Domain
from server.memory.model import Filter, InvalidInput, Limits

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TICK = timedelta(microseconds=1)
NONE: Any = None  # neither store nor model is asked

domain = Domain(NONE, NONE, Limits(), now=lambda: NOW)


def test_confirmed_up_to_five_minutes_ahead() -> None:
    limit = NOW + timedelta(minutes=5)
    domain.check_times(None, limit)
    domain.check_filter(Filter(not_confirmed_since=limit))
    with pytest.raises(InvalidInput, match="last_confirmed_at"):
        domain.check_times(None, limit + TICK)
    with pytest.raises(InvalidInput, match="not_confirmed_since"):
        domain.check_filter(Filter(not_confirmed_since=limit + TICK))


def test_expires_up_to_a_hundred_years_ahead() -> None:
    limit = NOW + timedelta(days=36525)
    domain.check_times(limit, None)
    domain.check_times(datetime(1970, 1, 1, tzinfo=UTC), None)
    with pytest.raises(InvalidInput, match="expires_at"):
        domain.check_times(limit + TICK, None)
