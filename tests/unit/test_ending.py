"""Which of two statements, told in plain words, says that the other holds no more."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ragpp.embedding.onnx import OnnxEmbedder
from ragpp.embedding.second import E5Encoder
from ragpp.models import FindingEntry, Interaction
from ragpp_services.procedural.findings.ending import LEAST, ending_odds, read_statement, says_change
from ragpp_services.workers.language.classifier import Classifier
from ragpp_services.workers.language.judging import Judge
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.stating import found_in
from tests.support.each import each
from tests.support.extractor import trained
from tests.support.second import second_jar
from tests.support.workers import parts_with

MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)
ENDED = {
    "Our dentist is Dr. Amsel on Karl Street.": "Our dentist is Dr. Weiss now, Amsel retired.",
    "I'm allergic to walnuts.": "No wait, it's hazelnuts that I'm allergic to, walnuts are fine.",
    "I live in Lyon, in Croix-Rousse.": "I moved to Turin, I'm not in Lyon any more.",
    "Mia is vegetarian.": "Mia eats meat again, she is no vegetarian any more.",
    "My boss is Karen from finance.": "Karen left, my new boss is Osman.",
    "Ben goes to judo on Mondays.": "Ben quit judo, he does climbing on Mondays now.",
}
HELD = {
    "I'm vegetarian.": "I'm lactose intolerant.",
    "I live in Lyon.": "I lived in Turin for four years as a student.",
    "I'm allergic to walnuts.": "I'm allergic to hazelnuts too.",
    "My daughter Lea plays chess.": "My son Finn plays football now.",
    "I work at Brightwater as a nurse.": "My brother quit his job at the bakery.",
    "Our dentist is Dr. Amsel on Karl Street.": "I have an appointment at the dentist on 4 June.",
}


@pytest.fixture(scope="module")
async def embedder(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OnnxEmbedder]:
    opened = OnnxEmbedder(tmp_path_factory.mktemp("graph"))
    yield opened
    await opened.close()


@pytest.fixture(scope="module")
async def parts(jar: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[WorkerParts]:
    encoder, classifier = E5Encoder(jar), Classifier(tmp_path_factory.mktemp("classifier"))
    yield parts_with(judge=Judge(encoder, classifier=classifier), extractor=trained())
    await encoder.close()


@pytest.fixture(scope="module")
def jar() -> Path:
    return second_jar()


async def told(parts: WorkerParts, said: str) -> FindingEntry:
    item = Interaction(id="a", session_id="s", role="user", content=said, occurred_at=MONDAY)
    (entry,) = (await found_in(parts, [item]))["a"]
    return entry


async def ends(parts: WorkerParts, embedder: OnnxEmbedder, said: str, later: str) -> bool:
    older, newer = await told(parts, said), await told(parts, later)
    first, second = read_statement(older.finding, older.details), read_statement(newer.finding, newer.details)
    assert first is not None
    assert second is not None
    one, other = await embedder.embed([older.text, newer.text])
    assert older.meaning is not None
    assert newer.meaning is not None
    meanings = sum(a * b for a, b in zip(older.meaning, newer.meaning, strict=True))
    odds = ending_odds(first, second, float(one @ other), meanings)
    return says_change(second) and odds >= LEAST


async def test_a_change_of_mind_ends_what_it_is_about(parts: WorkerParts, embedder: OnnxEmbedder) -> None:
    async def ended(said: str) -> None:
        assert await ends(parts, embedder, said, ENDED[said]), ENDED[said]

    await each(ENDED, ended)


async def test_what_can_hold_beside_it_ends_nothing(parts: WorkerParts, embedder: OnnxEmbedder) -> None:
    async def held(said: str) -> None:
        assert not await ends(parts, embedder, said, HELD[said]), HELD[said]

    await each(HELD, held)


async def test_what_nobody_judged_is_no_statement(parts: WorkerParts) -> None:
    judged = await told(parts, "Mia is vegetarian.")
    assert read_statement("health", judged.details) is not None
    for missing in ("verbatim", "changes", "kept"):
        left = {name: value for name, value in judged.details.items() if name != missing}
        assert read_statement("health", left) is None, missing
