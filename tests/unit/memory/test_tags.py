"""Tags: one compared form for what people mean by the same label."""

from __future__ import annotations

import pytest
from hypothesis import given as each
from hypothesis import settings
from hypothesis import strategies as st

from server.memory.model import InvalidInput
from server.memory.tags import SYNONYMS, check_tags, normalize_tag, normalize_tags


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ("Family", "family"),
        ("  Home Office ", "home-office"),
        ("home_office", "home-office"),
        ("home  -  office", "home-office"),
        ("C++", "c"),
        ("!!!", ""),
        ("", ""),
        ("--a--", "a"),
        ("prefs", "preferences"),
        ("fam", "family"),
        ("Programming", "software"),
        ("personal info", "personal"),
        ("ÄRGER", "ärger"),
        ("ärger", "ärger"),  # decomposed
        ("日本", "日本"),
        ("हिन्दी", "हिन्दी"),
        ("2026", "2026"),
        ("I", "i"),  # a fixed locale: Turkish rules would make it dotless
    ],
)
def test_normal_form(given: str, normal: str) -> None:
    assert normalize_tag(given) == normal


@pytest.mark.parametrize(("target", "source"), [(target, source) for target, sources in SYNONYMS.items() for source in sources])
def test_each_synonym_leads_to_its_target(target: str, source: str) -> None:
    assert normalize_tag(source.upper()) == target
    assert normalize_tag(target) == target


def test_repeats_and_empty_ones_go_and_order_stays() -> None:
    assert normalize_tags(["work", "Job", "", "family", "WORK", "kin"]) == ("work", "family")


def test_given_form_keeps_case() -> None:
    assert check_tags([" Family ", "kin"]) == (("family",), ("Family", "kin"))


def test_limits() -> None:
    assert len(check_tags([f"t{n}" for n in range(16)])[0]) == 16
    assert check_tags(["a" * 64])[0] == ("a" * 64,)
    assert check_tags(["same"] * 50)[0] == ("same",)
    with pytest.raises(InvalidInput, match="at most 16"):
        check_tags([f"t{n}" for n in range(17)])
    with pytest.raises(InvalidInput, match="at most 64"):
        check_tags(["a" * 65])


@settings(deadline=None)
@each(st.text(max_size=8) | st.text(st.sampled_from("aeAEΣİß _-.:\u200b\u0301\u0308ªʰ"), max_size=8) | st.sampled_from(sorted(SYNONYMS)))
def test_a_normal_form_is_its_own(tag: str) -> None:
    normal = normalize_tag(tag)
    assert normalize_tag(normal) == normal
    assert normalize_tags([normal, tag]) == ((normal,) if normal else ())
    assert not normal or set(normal) != {"-"}
