"""The memories that the graph's answer becomes: pure, on rows as the statement returns them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from ragpp.clock import to_moment
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import InvalidInput
from ragpp.models import Filters, MemoryQuery
from ragpp_services.semantic.evidence.folding import Belief
from ragpp_services.semantic.read.recall import memories, parameters
from ragpp_services.semantic.rows import Candidates, Row
from ragpp_services.semantic.settings import SemanticSettings
from ragpp_services.semantic.vectors import NameVectors, sketch
from tests.support.each import each_case
from tests.support.scopes import new_scope
from tests.support.tokens import COUNTER

NOW = datetime(2024, 5, 1, tzinfo=UTC)
AT = to_moment(NOW)


def entity_row(name: str, nearness: float = 1.0) -> list[object]:
    return [nearness, name.lower(), name, "PERSON", ["nickname"], 2, AT, AT, AT, ["m2", "m1"], [AT, AT], []]


def edge_row(
    source: str,
    target: str,
    *,
    type_name: str = "LIKES",
    context: str = "",
    weight: int = 1,
    hops: int = 1,
    confidence: float = 0.6,
) -> list[object]:
    ends: list[object] = [source.lower(), source, target.lower(), target, type_name, weight, confidence]
    held: list[object] = [confidence, AT, AT]
    return [1.0, hops, *ends, AT, False, AT, AT, context, ["m1"], [AT], *held, [], None]


def answer(text: str, entities: Sequence[Row], edges: Sequence[Row], **filters: object) -> list[str]:
    query = MemoryQuery(scope=new_scope(), text=text, limit=5, filters=Filters.model_validate(filters))
    found = memories(query, Candidates(list(entities), list(edges), []), NOW, Belief(), COUNTER)
    assert [memory.score for memory in found] == sorted((memory.score for memory in found), reverse=True)
    return [memory.text for memory in found]


def test_what_links_two_things_the_query_names_comes_first() -> None:
    edges = [edge_row("Noor", "tea", weight=9), edge_row("Noor", "chess")]
    assert answer("noor chess", [entity_row("Noor"), entity_row("chess")], edges)[0] == "Noor LIKES chess"


def test_who_asks_under_a_name_is_no_answer_and_what_is_known_of_them_is() -> None:
    query = MemoryQuery(scope=new_scope(), text="where do i work?", entities=("Noor", "user"), asker="Noor", limit=5)
    rows = Candidates(
        [entity_row("Noor"), entity_row("user")],
        [
            edge_row("Noor", "Acme", type_name="WORKS_AT"),
            edge_row("user", "Brightline", type_name="WORKS_AT"),
            edge_row("Noor", "tea"),
        ],
        [],
    )
    found = [memory.text for memory in memories(query, rows, NOW, Belief(), COUNTER)]
    assert sorted(found) == ["Noor WORKS_AT Acme", "user WORKS_AT Brightline"]


def test_the_sentence_behind_a_relationship_counts() -> None:
    edges = [edge_row("Noor", "tea", context="a mug"), edge_row("Noor", "chess", context="on rainy evenings")]
    assert answer("what about rainy evenings, Noor?", [entity_row("Noor")], edges)[0] == "Noor LIKES chess"


def test_nearer_comes_before_farther_and_stronger_before_weaker() -> None:
    edges = [edge_row("Ida", "jazz", hops=2, weight=9), edge_row("Noor", "tea"), edge_row("Noor", "chess", weight=3)]
    found = [text for text in answer("Noor", [entity_row("Noor")], edges) if "LIKES" in text]
    assert found == ["Noor LIKES chess", "Noor LIKES tea", "Ida LIKES jazz"]


def test_an_entity_is_shown_with_its_label_and_aliases() -> None:
    assert answer("Noor", [entity_row("Noor")], []) == ["Noor (PERSON), also nickname"]


def test_weak_belief_is_left_out_on_request() -> None:
    edges = [edge_row("Noor", "tea", confidence=0.3), edge_row("Noor", "chess")]
    assert "Noor LIKES tea" not in answer("Noor", [entity_row("Noor")], edges, min_confidence=0.5)


def test_the_past_is_asked_for_with_its_own_clock() -> None:
    past = NOW - timedelta(days=9)
    settings, query = SemanticSettings(), MemoryQuery(scope=new_scope(), text="Noor", as_of=past)
    given = parameters(query, None, NOW, settings)
    assert (given["as_of"], given["now"], given["embedding"]) == (to_moment(past), to_moment(past), None)
    today = parameters(query.model_copy(update={"as_of": None}), (1.0, 0.0), NOW, settings)
    assert today["now"] == AT
    assert int(str(today["as_of"])) > AT


async def test_sketches_keep_the_nearest_near() -> None:
    names = [f"{first} {last}" for first in ("Ada", "Bo", "Cy", "Di", "Ed") for last in ("Moss", "Reed", "Vale")]
    vectors = await HashingEmbedder().embed([*names, "Ada Reed of Leeds"])
    sketches = np.array([sketch(tuple(row.tolist())) for row in vectors])
    sketches /= np.linalg.norm(sketches, axis=1, keepdims=True)
    exact, rough = vectors[:-1] @ vectors[-1], sketches[:-1] @ sketches[-1]
    assert float(np.abs(exact - rough).max()) < 0.5
    assert int(exact.argmax()) in rough.argsort()[-5:]


async def test_a_name_is_embedded_once() -> None:
    asked: list[str] = []

    class Recording(HashingEmbedder):
        async def embed(self, texts: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
            asked.extend(texts)
            return await super().embed(texts)

    names = NameVectors(Recording())
    first = await names.embed(["Noor", "tea", "Noor"])
    again = await names.embed(["Noor"])
    assert asked == ["Noor", "tea"]
    assert first["Noor"] == again["Noor"]
    with pytest.raises(InvalidInput):
        names.checked((1.0,))


def told_against(question: str, wrong: tuple[str, str, str], *held: Row) -> tuple[str, ...]:
    """The messages that a rejection tells against, of m1 and m2; what is `held` was learned from m1."""
    query = MemoryQuery(scope=new_scope(), text=question, entities=("user",), rejected=True)
    rows = Candidates([], list(held), [["r", *wrong, ["m1", "m2"]]])
    *_, rejected = memories(query, rows, NOW, Belief(), COUNTER)
    return rejected.sources if rejected.score else ()


WORKS = ("user", "WORKS_AT", "Brightline")


@each_case(
    ("question", "held", "expected"),
    {
        "the question it answers": ("Where do I work?", [], ("m1", "m2")),
        "another question": ("Where do I live?", [], ()),
        "a question after kin, of which it says nothing": ("Where does my sister work?", [], ()),
        "a message that tells what is asked of somebody else": (
            "Where does Salma work, I forgot?",
            [edge_row("Salma", "Acme", type_name="WORKS_AT")],
            ("m2",),
        ),
        "a message that tells it only of somebody else": (
            "Where do I work?",
            [edge_row("Salma", "Acme", type_name="WORKS_AT")],
            ("m1", "m2"),
        ),
        "a message that tells what is right, too": (
            "Where do I work?",
            [edge_row("user", "Acme", type_name="WORKS_AT")],
            ("m2",),
        ),
    },
)
def test_a_rejection_tells_against_what_answers_the_question_by_it(
    question: str, held: list[Row], expected: tuple[str, ...]
) -> None:
    """Or else the right answer is marked as corrected."""
    assert told_against(question, WORKS, *held) == expected


def test_that_it_is_of_the_user_does_not_make_a_rejection_one_of_what_is_asked() -> None:
    wrong = ("Salma", "SISTER_OF", "user")
    assert told_against("Where does the user live?", wrong) == ()
    assert told_against("Who is the sister of the user?", wrong) == ("m1", "m2")
