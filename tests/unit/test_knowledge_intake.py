"""Content for the catalog is redacted, knows where each message stands, and is nothing that memory said itself."""

from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from ragpp.api import ItemsIn, ResourceIn
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import InvalidInput
from ragpp.redaction import SECRETS, redact
from ragpp_services.gateway.intake import KnowledgeIntake, Redaction, Whose
from tests.support.each import each_case
from tests.support.hostile import texts

NOW: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
INTAKE: Final = KnowledgeIntake(Redaction(SECRETS), HashingEmbedder(8), lambda: NOW)
SECRET: Final = "my password is hunter2secret!9"
OURS: Final = "## RELEVANT KNOWLEDGE\n- Pro costs $299 a month. (relevance: 0.83)"


def conversation(*contents: str) -> ResourceIn:
    return ResourceIn.model_validate(
        {"resource_type": "conversation", "messages": [{"content": content} for content in contents]}
    )


@given(st.lists(texts(), min_size=1, max_size=5))
async def test_each_message_of_a_conversation_stands_where_it_says(contents: list[str]) -> None:
    entry = await INTAKE.resource(conversation(*contents), Whose())
    said = [entry.content[message.start : message.end] for message in entry.messages]
    assert said == [redact(content).text for content in contents]


async def test_a_speaker_stands_before_what_was_said() -> None:
    body = ResourceIn.model_validate(
        {
            "resource_type": "conversation",
            "messages": [
                {"content": "What does Pro cost?", "name": "Ada"},
                {"role": "assistant", "content": "$299 a month."},
            ],
        }
    )
    entry = await INTAKE.resource(body, Whose())
    assert entry.content == "Ada: What does Pro cost?\nAssistant: $299 a month."


async def test_secrets_go_wherever_they_stand_and_are_counted() -> None:
    body = ResourceIn.model_validate(
        {"resource_type": "document", "content": SECRET, "metadata": {"password": "tiger", "note": SECRET}}
    )
    entry = await INTAKE.resource(body, Whose())
    items, removed = await INTAKE.items(
        ItemsIn.model_validate({"items": [{"content": SECRET, "source_resource_id": "r", "metadata": {"n": SECRET}}]}),
        Whose(),
    )
    stored = entry.model_dump_json() + items[0].model_dump_json()
    assert "hunter2" not in stored
    assert "tiger" not in stored
    assert (entry.redactions, removed) == (3, 2)


@each_case("hidden", [["tiger"], {"of": "tiger"}, {"of": [{"the": ["tiger"]}]}])
async def test_a_key_gives_away_the_secrets_below_it_however_deep(hidden: JsonValue) -> None:
    body = ResourceIn.model_validate({"resource_type": "config", "content": "a", "metadata": {"password": hidden}})
    entry = await INTAKE.resource(body, Whose())
    assert "tiger" not in entry.model_dump_json()
    assert entry.redactions == 1


async def test_a_number_that_its_key_gives_away_is_a_secret_and_no_other_is() -> None:
    metadata: dict[str, JsonValue] = {"pin": 4711, "of": {"password": [123456, 98.25]}, "seats": 4711, "port": 5432}
    body = ResourceIn.model_validate({"resource_type": "config", "content": "a", "metadata": {**metadata, "on": True}})
    entry = await INTAKE.resource(body, Whose())
    assert entry.redactions == 3
    assert (entry.metadata["seats"], entry.metadata["port"], entry.metadata["on"]) == (4711, 5432, True)
    assert not {"4711", "123456", "98.25"} & set(str({**entry.metadata, "seats": 0}).replace("'", " ").split())
    assert "REDACTED" in str(entry.metadata["pin"])


async def test_what_was_said_last_dates_a_conversation_without_a_date() -> None:
    earlier, later = NOW - timedelta(days=2), NOW - timedelta(days=1)
    body = ResourceIn.model_validate(
        {
            "resource_type": "conversation",
            "messages": [{"content": "b", "occurred_at": later}, {"content": "a", "occurred_at": earlier}],
        }
    )
    assert (await INTAKE.resource(body, Whose())).occurred_at == later
    assert (await INTAKE.resource(conversation("a"), Whose())).occurred_at == NOW


@each_case("field", ["", "messages.0."])
async def test_what_is_from_the_future_is_refused_and_named(field: str) -> None:
    tomorrow = NOW + timedelta(days=1)
    message = {"content": "a"} | ({"occurred_at": tomorrow} if field else {})
    fields = {"resource_type": "conversation", "messages": [message]} | ({} if field else {"occurred_at": tomorrow})
    with pytest.raises(InvalidInput) as refused:
        await INTAKE.resource(ResourceIn.model_validate(fields), Whose())
    assert refused.value.message.startswith(f"{field}occurred_at ")


def item(content: str, **fields: object) -> ItemsIn:
    return ItemsIn.model_validate({"items": [{"content": content, "source_resource_id": "r", **fields}]})


async def test_what_memory_said_itself_is_no_new_item() -> None:
    with pytest.raises(InvalidInput, match=r"items\.0\.content"):
        await INTAKE.items(item(OURS), Whose())


async def test_what_an_item_says_beside_a_context_is_kept() -> None:
    ((kept,), _) = await INTAKE.items(item(f"Basic costs $99 a month.\n\n{OURS}"), Whose())
    assert kept.content == "Basic costs $99 a month."


async def test_a_resource_keeps_what_was_pasted_into_it() -> None:
    body = ResourceIn.model_validate({"resource_type": "document", "content": f"Notes.\n{OURS}"})
    assert (await INTAKE.resource(body, Whose())).content == f"Notes.\n{OURS}"


async def test_a_given_vector_is_kept_at_length_one_and_a_missing_one_is_made() -> None:
    ((given_one,), _) = await INTAKE.items(item("a", embedding=[3.0, 4.0, 0, 0, 0, 0, 0, 0]), Whose())
    ((made,), _) = await INTAKE.items(item("a"), Whose())
    assert given_one.embedding == pytest.approx((0.6, 0.8, 0, 0, 0, 0, 0, 0))
    assert made.embedding is not None
    assert float(np.linalg.norm(made.embedding)) == pytest.approx(1)


@each_case("vector", [[1.0], [0.0] * 8])
async def test_a_vector_that_no_search_could_use_is_refused(vector: list[float]) -> None:
    with pytest.raises(InvalidInput, match=r"items\.0\.embedding"):
        await INTAKE.items(item("a", embedding=vector), Whose())


async def test_ids_that_are_not_given_say_what_they_are_of() -> None:
    entry = await INTAKE.resource(conversation("a"), Whose())
    ((made,), _) = await INTAKE.items(item("a"), Whose())
    assert entry.id.startswith("res_")
    assert made.id.startswith("item_")
