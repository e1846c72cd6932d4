"""Bodies and answers of redacting what is stored."""

from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from ragpp.fields import Id, Whole, has_surrogates
from ragpp.models import Value

MAX_SOUGHT_CHARS: Final = 1_000


def _encodable(text: str) -> str:
    """`text` itself, of which nothing is stored; ValueError where nothing that is stored can have it."""
    if "\x00" in text or has_surrogates(text):
        raise ValueError("contains a NUL or a lone surrogate, which no stored text has")
    return text


Sought = Annotated[str, Field(min_length=1, max_length=MAX_SOUGHT_CHARS), AfterValidator(_encodable)]
StoredThing = Literal[
    "message",
    "resource",
    "item",
    "category",
    "label",
    "preference",
    "rule",
    "finding",
    "report",
    "relationship",
    "entity",
]
"""Things with a text. label: a goal, a domain or a reason of what agents did. relationship: one that was stated."""


class RedactRequest(Value):
    """The search through all that is stored of the user: by one of `policy`, what the policy that holds for the user
    now finds; `pattern`, a regular expression of RE2; `text`, one text, in whatever case and white space. `kind`: the
    placeholder's, `[REDACTED:kind]`; absent: `text` or `pattern`. `dry_run`: nothing is changed, and what would be is
    listed. A request looks at a part of it; the answer's `next_cursor` goes on."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "text": "blue heron", "dry_run": True}})

    user_id: Id
    policy: bool = False
    pattern: Sought | None = None
    text: Sought | None = None
    kind: Annotated[str, Field(pattern=r"^[a-z][a-z_]{0,39}$")] | None = None
    dry_run: bool = True
    cursor: Annotated[str, Field(max_length=4_096)] | None = None
    limit: Whole = Field(default=50, ge=1, le=200)

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if self.policy + (self.pattern is not None) + (self.text is not None) != 1:
            raise ValueError("says one of `policy`, `pattern` and `text`")
        if self.policy and self.kind is not None:
            raise ValueError("says a `kind`, and a policy has its own")
        return self


class RedactedThing(Value):
    """A stored thing that has what is sought. `kinds`: what was found in it, and how often. `preview`: some of it, with
    the values replaced. `new_id`: of what took its place, null where it keeps its id, and in a dry run."""

    what: StoredThing
    id: str
    new_id: str | None = None
    kinds: dict[str, int]
    preview: str


class RedactAnswer(Value):
    """The part of what is stored that this request has looked at. `looked_at`: how many things; `next_cursor`: for the
    next part, null after the last."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "found": [
                    {
                        "what": "message",
                        "id": "m-17",
                        "new_id": None,
                        "kinds": {"text": 1},
                        "preview": "The code name is [REDACTED:text].",
                    }
                ],
                "looked_at": 50,
                "dry_run": True,
                "next_cursor": "WyJtZXNzYWdlcyIsICIiXQ",
            }
        }
    )

    found: tuple[RedactedThing, ...]
    looked_at: int
    dry_run: bool
    next_cursor: str | None = None
