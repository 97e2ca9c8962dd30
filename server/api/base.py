"""What all requests and answers are made of."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

MAX_ID = 2**63 - 1
MAX_IDS = 400_000  # of one request
MAX_ROWS = 1000  # of one page
DONE_IDS = 1000  # at most so many are named in `Done`


def _storable(text: str) -> str:
    if "\0" in text:
        raise ValueError("must not hold the character NUL")
    return text


Id: TypeAlias = Annotated[int, Field(ge=1, le=MAX_ID)]
Ids: TypeAlias = Annotated[tuple[Id, ...], Field(max_length=MAX_IDS)]
Text: TypeAlias = Annotated[str, AfterValidator(_storable)]
Fraction: TypeAlias = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Moment: TypeAlias = AwareDatetime
Keep: TypeAlias = Literal["Y", "N", "U"]
Mode: TypeAlias = Literal["words", "meaning"]
Sort: TypeAlias = Literal["created", "updated", "confirmed", "importance", "salience", "text", "length"]
Order: TypeAlias = Literal["asc", "desc"]
ActorKind: TypeAlias = Literal["person", "client", "job"]


class Request(BaseModel):
    """What a program sends."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Answer(BaseModel):
    """What the server answers."""

    model_config = ConfigDict(frozen=True, extra="ignore", from_attributes=True)
