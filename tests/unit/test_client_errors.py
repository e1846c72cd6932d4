"""The uses of an error to a caller: to know its kind from the page, how long a text may be, when to ask again."""

import re
from typing import Final

import pytest

from ragpp import MemoryClient
from ragpp.api import RecallResponse
from ragpp.client import TextTooLong
from ragpp.errors import InvalidInput, MemorySystemError, RateLimited, TooManyAtOnce
from tests.support.each import each_case
from tests.support.scripted import RECALLED, ScriptedGateway, refusal
from tests.support.source import ROOT

ROW: Final = re.compile(r"^\| `(\w+)` \| (MEM-\d{3}) \| `(\w+)` \|", re.MULTILINE)


def client(*answers: MemorySystemError) -> MemoryClient:
    gateway = ScriptedGateway(*map(refusal, answers))
    return MemoryClient("http://gateway", "key", retries=0, backoff_s=0, transport=gateway)


def test_the_page_has_every_error_that_a_client_meets_with_its_code_and_what_it_is_a_kind_of() -> None:
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    kinds: list[type[MemorySystemError]] = [MemorySystemError, *MemorySystemError.by_code.values()]
    named = {
        (kind.__name__, kind.code, next(one.__name__ for one in kind.__mro__[1:] if issubclass(one, Exception)))
        for kind in kinds
        if kind.__module__ == "ragpp.errors"
    }
    assert set(ROW.findall(page)) == named


@each_case(
    ("call", "most"),
    [
        (lambda memory: memory.remember("x" * 100_001, user="ana"), 100_000),
        (lambda memory: memory.recall("x" * 20_001, user="ana"), 20_000),
        (lambda memory: memory.remember(user_id="ana", messages=[{"content": "x" * 100_001}]), 100_000),
        (lambda memory: memory.conversation(user="ana").user("x" * 100_001), 100_000),
    ],
)
def test_too_long_a_text_says_how_long_it_may_be_and_is_not_sent(call: "object", most: int) -> None:
    assert callable(call)
    with pytest.raises(TextTooLong) as caught:
        call(client())
    assert caught.value.most == most
    assert isinstance(caught.value, ValueError)
    assert caught.value.details["errors"]
    assert "xxx" not in str(caught.value)


def test_what_else_is_wrong_is_no_text_that_is_too_long() -> None:
    with pytest.raises(InvalidInput) as caught:
        client().recall("", user="ana")
    assert type(caught.value) is InvalidInput


@each_case("kind", [RateLimited, TooManyAtOnce])
def test_who_asks_too_often_is_told_when_to_ask_again(kind: type[RateLimited] | type[TooManyAtOnce]) -> None:
    with pytest.raises(kind) as caught:
        client(kind("too often", details={"retry_after_s": 3})).pending("ana")
    assert isinstance(caught.value, RateLimited | TooManyAtOnce)
    assert caught.value.retry_after == 3.0
    assert kind("too often").retry_after is None


def test_a_notebook_shows_the_context_and_why_and_nothing_stored_is_taken_for_its_html() -> None:
    evil = "<script>alert('Elena')</script>"
    memory = {"id": "m-1", "tier": "episodic", "kind": "interaction", "text": evil, "score": 0.91, "in_context": True}
    left_out = memory | {"id": "m-2", "text": "Bruno", "in_context": False, "explain": {"cut": "no room"}}
    answer = RecallResponse.model_validate(
        RECALLED
        | {"context": f"## PAST\n- {evil}", "relevance": "clear", "memories": [memory, left_out | {"said_by": "<b>"}]}
        | {"tiers": {"semantic": {"status": "timeout", "ms": 500.0}}}
    )
    shown = answer._repr_html_()
    assert evil not in shown
    assert shown.count("&lt;script&gt;") == 2
    assert "<b>" not in shown
    for told in ("relevance: clear", "semantic: timeout", "0.91", "no: no room", "2 memories"):
        assert told in shown
    alone = answer.model_copy(update={"memories": answer.memories[:1]})
    assert "Why: 1 memory, best first" in alone._repr_html_()
