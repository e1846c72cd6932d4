"""The sample conversation that ships with the project, and what its messages say."""

import json
from datetime import datetime
from importlib.resources import files
from typing import TypedDict

import pytest

from ragpp.redaction import redact
from tests.support.extractor import trained


class Message(TypedDict):
    session_id: str
    id: str
    role: str
    name: str
    content: str
    occurred_at: str


class Question(TypedDict):
    question: str
    evidence: list[str]


@pytest.fixture(scope="module")
def messages() -> list[Message]:
    text = (files("ragpp_infra") / "samples" / "conversation.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_the_conversation_has_two_people_and_some_months(messages: list[Message]) -> None:
    assert 80 <= len(messages) <= 150
    assert len({message["name"] for message in messages}) == 2
    assert 10 <= len({message["session_id"] for message in messages}) <= 15
    assert len({message["occurred_at"][:7] for message in messages}) >= 6


def test_messages_are_in_order_and_have_ids_of_their_own(messages: list[Message]) -> None:
    moments = [datetime.fromisoformat(message["occurred_at"]) for message in messages]
    assert moments == sorted(moments)
    assert all(moment.tzinfo is not None for moment in moments)
    assert len({message["id"] for message in messages}) == len(messages)
    assert all(message["content"].strip() and message["role"] == "user" for message in messages)


def test_five_questions_rest_on_evidence_from_several_sessions(messages: list[Message]) -> None:
    questions: list[Question] = json.loads(
        (files("ragpp_infra") / "samples" / "questions.json").read_text(encoding="utf-8")
    )
    sessions = {message["id"]: message["session_id"] for message in messages}
    assert len(questions) == 5
    for question in questions:
        assert question["question"].endswith("?")
        assert len({sessions[source] for source in question["evidence"]}) >= 3


def test_the_sample_holds_no_secret(messages: list[Message]) -> None:
    assert all(redact(message["content"]).count == 0 for message in messages)


def test_what_the_sample_says_is_extracted(messages: list[Message]) -> None:
    extractor = trained()
    ties: set[tuple[str, str, str]] = set()
    preferences: dict[tuple[str, str], list[str]] = {}
    for message in messages:
        extraction = extractor.extract(message["content"], speaker=message["name"])
        ties |= {(tie.source, tie.type, tie.target) for tie in extraction.relationships}
        for found in extraction.preferences:
            preferences.setdefault((message["name"], found.key), []).append(found.value)
    assert {
        ("Noor", "LIVES_IN", "Leeds"),
        ("Noor", "LIVES_IN", "Glasgow"),
        ("Felix", "WORKS_AT", "Nordic Map Archive"),
        ("Salma", "MOTHER_OF", "Noor"),
        ("Karim", "BROTHER_OF", "Noor"),
        ("Liv", "SISTER_OF", "Felix"),
        ("Dr. Okafor", "BOSS_OF", "Noor"),
    } <= ties
    assert preferences["Noor", "drink"] == ["tea", "coffee"]
    assert preferences["Felix", "diet"] == ["vegetarian", "not vegetarian"]
    assert preferences["Noor", "allergy to shellfish"] == ["allergic"]
