"""Values that may stand in a field of a request, in one place: what shows nothing is no name, a number is no time."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter, ValidationError

from ragpp.api import (
    AboutIn,
    CategoryIn,
    EntityChange,
    EntryIn,
    EpisodeIn,
    ExtractIn,
    ForgetRequest,
    ItemIn,
    ItemSearchIn,
    ItemsIn,
    MessageIn,
    PreferenceIn,
    RecallRequest,
    ReflectIn,
    RelationshipIn,
    ResourceIn,
    ResourceMessageIn,
    Restore,
    RetrieveRequest,
    RuleChange,
    RuleIn,
    StoreRequest,
)
from ragpp.api.hooks import BudgetIn
from ragpp.fields import GivenTime, LocalSaidAt
from ragpp.models import Interaction, PreferenceEntry, RuleEntry, Scope
from tests.support.each import each_case

NOON: Final = datetime(2026, 5, 1, 12, tzinfo=UTC)
BLANK: Final = (" ", "\u200b", " \u200b\u00a0", "\u00ad", "\u3164", "\ufe0f\ufe0f", "\U000e0020")
MESSAGE: Final = {"content": "hello"}
STORE: Final = {"user_id": "u1", "messages": [MESSAGE]}
RECALL: Final = {"user_id": "u1", "query": "where?"}
RULE: Final = {"user_id": "u1", "text": "Be brief."}
LIKED: Final = {"user_id": "u1", "category": "editor", "key": "theme", "value": "dark"}
TIED: Final = {"user_id": "u1", "source": "Elena", "type": "LIVES_IN", "target": "Porto"}
ITEM: Final = {"content": "It rains.", "source_resource_id": "r"}
RESOURCE: Final = {"resource_type": "document", "content": "It rains."}
ENTRY: Final = {"content": "It rains."}

Field = tuple[type[BaseModel], Mapping[str, object], str]

TEXTS: Final[tuple[Field, ...]] = (
    *((StoreRequest, STORE, field) for field in ("user_id", "session_id", "agent_id")),
    *((MessageIn, MESSAGE, field) for field in ("id", "name", "content", "message_type", "channel", "domain")),
    *((ResourceMessageIn, MESSAGE, field) for field in ("id", "name", "content")),
    (RecallRequest, RECALL, "query"),
    (RecallRequest, RECALL, "name"),
    (RetrieveRequest, {"query": "where?"}, "query"),
    *((RuleIn, RULE, field) for field in ("user_id", "id", "text")),
    (RuleChange, RULE, "aside"),
    *((PreferenceIn, LIKED, field) for field in ("user_id", "category", "key", "value")),
    *((RelationshipIn, TIED, field) for field in ("source", "target")),
    (EntityChange, {"user_id": "u1"}, "name"),
    *((ItemIn, ITEM, field) for field in ("id", "domain", "task_type")),
    (ItemsIn, {"items": [ITEM]}, "user_id"),
    *((ResourceIn, RESOURCE, field) for field in ("user_id", "id", "session_id")),
    *((EntryIn, ENTRY, field) for field in ("user_id", "domain")),
    (EpisodeIn, {}, "goal"),
    (AboutIn, {}, "entity"),
    (AboutIn, {}, "words"),
    (CategoryIn, {"name": "x", "description": "It is what it is."}, "description"),
)
LISTS: Final[tuple[Field, ...]] = (
    (RuleIn, RULE, "triggers"),
    (RuleChange, RULE, "triggers"),
    (RecallRequest, RECALL, "entities"),
    (EntryIn, ENTRY, "tags"),
)
TIMES: Final[tuple[Field, ...]] = (
    (MessageIn, MESSAGE, "occurred_at"),
    (ResourceMessageIn, MESSAGE, "occurred_at"),
    (ResourceIn, RESOURCE, "occurred_at"),
    (ItemIn, ITEM, "occurred_at"),
    (EntryIn, ENTRY, "timestamp"),
    (EntryIn, ENTRY, "expires"),
    (RecallRequest, RECALL, "as_of"),
    (RetrieveRequest, {"query": "where?"}, "as_of"),
    (RelationshipIn, TIED, "valid_from"),
    (RelationshipIn, TIED, "valid_to"),
    (ExtractIn, {}, "start"),
    (ExtractIn, {}, "end"),
)
WHOLE: Final[tuple[Field, ...]] = (
    *((RecallRequest, RECALL, field) for field in ("limit", "token_budget", "deadline_ms")),
    *((RetrieveRequest, {"query": "where?"}, field) for field in ("k", "max_candidates")),
    (ItemSearchIn, {"embedding": [1.0]}, "k"),
    (ForgetRequest, {"user_id": "u1", "about": {"words": "key"}}, "limit"),
    (BudgetIn, {}, "limit"),
    (RuleIn, RULE, "priority"),
    (RuleChange, RULE, "priority"),
    (Restore, {"user_id": "u1"}, "version"),
)


def refused(kind: type[BaseModel], body: Mapping[str, object]) -> set[str]:
    """The places that are refused, none where the body is taken."""
    try:
        kind.model_validate(body)
    except ValidationError as error:
        return {".".join(map(str, one["loc"])) for one in error.errors()}
    return set()


@each_case(("kind", "body", "field"), TEXTS)
def test_what_shows_nothing_is_refused_and_the_field_named(
    kind: type[BaseModel], body: Mapping[str, object], field: str
) -> None:
    for blank in BLANK:
        assert refused(kind, {**body, field: blank * 12}) == {field}, ascii(blank)


@each_case(("kind", "body", "field"), LISTS)
def test_of_a_list_the_place_is_named_of_what_shows_nothing(
    kind: type[BaseModel], body: Mapping[str, object], field: str
) -> None:
    for blank in BLANK:
        assert refused(kind, {**body, field: ["lamp", blank]}) == {f"{field}.1"}, ascii(blank)


@each_case(("kind", "body", "field"), TIMES)
def test_a_number_is_no_time_in_any_notation_nor_is_a_clock_that_was_never_set(
    kind: type[BaseModel], body: Mapping[str, object], field: str
) -> None:
    numbers = (1_714_000_000, 1.714e9, True, "1714000000", "1.714e9", "+1714000000.5", " 1_714E6 ", "NaN", "infinity")
    for given_time in (*numbers, "0001-01-01T00:00:00Z"):
        assert refused(kind, {**body, field: given_time}) == {field}, given_time
    long_ago = refused(kind, {**body, field: "1885-03-08T13:56:00Z"})
    assert long_ago == (set() if kind is RelationshipIn else {field}), "what is so may be so since long ago"
    assert not refused(kind, {**body, field: "2026-03-08T13:56:00+02:00"})


def test_the_same_holds_for_a_span_and_for_a_day() -> None:
    for said in ("0001-01-01T00:00:00Z", "1.7e9", 1_700_000_000):
        for side in ("start", "end"):
            (place,) = refused(RecallRequest, {**RECALL, "time_range": {side: said}})
            assert place.startswith("time_range")
    for day in ("0002-01-01", 1_714_521_600, "1714521600", "1.7145216e9"):
        assert refused(ReflectIn, {"date": day}) == {"date"}, day
    assert not refused(ReflectIn, {"date": "2026-03-08"})


@each_case("field", [TypeAdapter(GivenTime), TypeAdapter(LocalSaidAt)])
def test_a_time_of_no_zone_is_of_utc_and_a_day_is_no_time(field: TypeAdapter[datetime]) -> None:
    for given_time in (datetime(2026, 3, 8, 13, 56), "2026-03-08T13:56:00", "2026-03-08 13:56"):  # noqa: DTZ001 - of no zone
        said = field.validate_python(given_time)
        assert (said, said.utcoffset()) == (datetime(2026, 3, 8, 13, 56, tzinfo=UTC), timedelta(0))
    for day in (date(2026, 3, 8), "2026-03-08", b"2026-03-08"):
        with pytest.raises(ValidationError):
            field.validate_python(day)


@given(st.floats() | st.integers() | st.decimals(allow_nan=False))
def test_no_number_is_ever_a_time(number: float | Decimal) -> None:
    for field in (TypeAdapter(GivenTime), TypeAdapter(LocalSaidAt)):
        for given_time in (number, str(number), f"{number:e}", str(number).encode()):
            with pytest.raises(ValidationError):
                field.validate_python(given_time)


@each_case(("kind", "body", "field"), WHOLE)
def test_how_much_is_a_whole_number_and_nothing_that_can_be_taken_for_one(
    kind: type[BaseModel], body: Mapping[str, object], field: str
) -> None:
    for given_number in (True, False, "5", 5.0, "true"):
        assert refused(kind, {**body, field: given_number}) == {field}, given_number
    assert not refused(kind, {**body, field: 5})


def test_what_was_stored_before_is_still_read() -> None:
    early = datetime(1, 1, 1, tzinfo=UTC)
    said = {"id": "\u200b", "session_id": " ", "channel": " ", "name": "\u200b", "content": " ", "occurred_at": early}
    assert Interaction.model_validate(said).occurred_at == early
    assert Scope(tenant_id="t", user_id=" ").user_id == " "
    assert RuleEntry(id="r", text="Be brief.", triggers=(" ",), occurred_at=early).triggers == (" ",)
    liked = PreferenceEntry(id="p", category=" ", key="\u200b", value="dark", occurred_at=NOON)
    assert liked.key == "\u200b"
    assert not refused(RecallRequest, {**RECALL, "user_id": " ", "session_id": "\u200b"})
