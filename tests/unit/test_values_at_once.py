"""Values that are made without validation are as those that are validated."""

import pickle
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.context.quoting import _begins_like_structure, continued, quoted
from ragpp.models import Interaction, Memory, Page, Scope, Value

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
MADE: list[tuple[type[Value], dict[str, object]]] = [
    (Scope, {"tenant_id": "t", "user_id": "u"}),
    (Interaction, {"id": "i", "content": "Hello.", "occurred_at": NOON}),
    (Memory, {"id": "m", "tier": "episodic", "kind": "interaction", "text": "Hello.", "score": 0.5, "sources": ("i",)}),
    (Page[int], {"items": (1, 2)}),
]


def test_a_trusted_value_is_the_validated_one() -> None:
    for kind, fields in MADE:
        validated, trusted = kind.model_validate(fields), kind.trusted(**fields)
        assert trusted == validated
        assert trusted.model_dump_json() == validated.model_dump_json()
        assert trusted.model_fields_set == validated.model_fields_set
        assert pickle.loads(pickle.dumps(trusted)) == validated  # noqa: S301 - our own
        for name, field in kind.model_fields.items():
            if field.default_factory is not None:
                assert getattr(kind.trusted(**fields), name) is not getattr(trusted, name), "a default that two share"


def test_a_copy_is_what_pydantic_would_copy() -> None:
    for kind, fields in MADE:
        value = kind.model_validate(fields)
        name = next(iter(fields))
        copied, theirs = value.model_copy(update={name: "x"}), super(Value, value).model_copy(update={name: "x"})
        assert copied == theirs
        assert copied.model_fields_set == theirs.model_fields_set
        assert value == kind.model_validate(fields), "the value that was copied is as it was"


def test_no_field_is_misspelt_or_missing() -> None:
    for fields in ({"tenant_id": "t"}, {"tenant_id": "t", "user_id": "u", "agent": "a"}):
        with pytest.raises(TypeError, match="Scope has other fields"):
            Scope.trusted(**fields)


@given(st.text(st.sampled_from("aZ9 .,;:!?()[]{}#*>|`~-_'\"=/\n\té"), max_size=12), st.booleans())
def test_prose_is_shown_at_once_as_it_would_be_shown_at_length(text: str, alone: bool) -> None:
    at_length = continued(text)
    assert quoted(text, alone=alone) == (f"| {at_length}" if _begins_like_structure(text, alone=alone) else at_length)
