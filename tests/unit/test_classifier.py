"""Classifying: what the trained encoder makes of clauses, and that without training it is MiniLM."""

import math
from pathlib import Path

import numpy as np
import pytest

from ragpp.embedding.checkpoint import Checkpoint
from ragpp.embedding.graph_cache import Tuning
from ragpp.embedding.onnx import OnnxEmbedder
from ragpp.embedding.tuned import TunedMiniLM
from ragpp.errors import EmbeddingError, InvalidInput
from ragpp.text.spans import Span
from ragpp_services.workers.language.classifier import Classifier, load_trained, usable_classifier
from ragpp_services.workers.language.judging import HEADS, Judge
from tests.support.judging import judged

SAID = "ok so mum's on blood thinners now, no grapefruit for her. lovely weather btw!!"
CLAUSES = [Span(0, 33), Span(35, 57), Span(58, len(SAID))]
HASTE = {
    "gran cant have liquorice, bc of her blood pressure": "health",
    "we moved 2 leeds in march": "residence",
    "pls no bullet lists when u answer me, ever": "instruction",
    "my bro rafi is getting married 2 june": "kin",
}
PLAIN = {
    "I'm lactose intolerant.": "health",
    "I'm allergic to walnuts.": "health",
    "I live in Lyon.": "residence",
    "My sister Elena moved to Porto.": "residence",
    "My dentist is Dr. Weiss.": "kin",
    "I hate coriander.": "taste",
}
CHATTER = ["haha true", "brb kettle", "omg it is so hot today", "wait what", "ok back"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("graphs")


@pytest.fixture(scope="module")
def classifier(folder: Path) -> Classifier:
    return Classifier(folder)


async def test_what_is_typed_in_haste_is_kept_and_chatter_is_not(classifier: Classifier) -> None:
    judge = Judge(None, classifier=classifier)
    kept = {said: one.kind for said in HASTE for one in await judged(judge, said) if one.is_kept(asks=False)}
    assert kept.keys() == HASTE.keys()
    assert {said for said in CHATTER for one in await judged(judge, said) if one.is_kept(asks=False)} == set()


async def test_what_is_said_in_a_plain_sentence_is_kept_as_chat_is(classifier: Classifier) -> None:
    judge = Judge(None, classifier=classifier)
    kept = {said: one.kind for said in PLAIN for one in await judged(judge, said) if one.is_kept(asks=False)}
    assert kept == PLAIN


async def test_a_judgement_is_the_mean_of_what_words_and_the_classifier_say(classifier: Classifier) -> None:
    (both,) = await Judge(None, classifier=classifier).judge(SAID, CLAUSES[:1])
    (words,) = await Judge(None).judge(SAID, CLAUSES[:1])
    read = float((await classifier.scores(SAID, CLAUSES[:1]))[0, HEADS.index("kept")])
    known = math.log(words.traits["kept"] / (1 - words.traits["kept"]))
    assert both.traits["kept"] == pytest.approx(1 / (1 + math.exp(-(known + read) / 2)), abs=2e-3)


async def test_the_clauses_of_a_message_have_one_outcome_to_the_bit(classifier: Classifier, folder: Path) -> None:
    scores = await classifier.scores(SAID, CLAUSES)
    assert scores.shape == (len(CLAUSES), len(HEADS))
    await classifier.scores("Something else.", [Span(0, 15)])
    assert (await classifier.scores(SAID, CLAUSES) == scores).all()
    assert (await Classifier(folder).scores(SAID, CLAUSES) == scores).all()


async def test_a_clause_that_is_asked_for_far_behind_the_beginning_is_read_from_its_own(classifier: Classifier) -> None:
    before = "We talked about the garden again. " * 120
    text = f"{before}I'm allergic to kiwi."
    (far,) = await classifier.scores(text, [Span(len(before), len(text))])
    (near,) = await classifier.scores("I'm allergic to kiwi.", [Span(0, 21)])
    assert (far == near).all()


async def test_trained_on_nothing_it_is_the_embedder(folder: Path) -> None:
    """Else what is learned would be added to another network than it was learned in."""
    name = "encoder.layer.5.output.dense.weight"
    untrained = TunedMiniLM(folder, Tuning("untrained", lambda: {name: np.zeros((384, 1536), np.float32)}))
    embedder = OnnxEmbedder(folder)
    text = "My sister Elena moved to Porto."
    states = await untrained.encode_spans(text, [Span(0, len(text))])
    # the embedder's mean has the two tokens that frame a text, a stretch's has not
    assert float((states[0] / np.linalg.norm(states[0])) @ (await embedder.embed([text]))[0]) > 0.98
    await embedder.close()


def test_what_was_learned_is_added_to_weights_of_the_upper_layers() -> None:
    changes = load_trained().tuning.changes()
    assert {name.split(".")[2] for name in changes} == {"2", "3", "4", "5"}
    assert changes["encoder.layer.5.intermediate.dense.weight"].shape == (1536, 384)
    assert all(np.abs(change).max() > 0 for change in changes.values())


async def test_a_text_that_is_no_unicode_is_refused_and_of_no_clauses_there_are_no_scores(
    classifier: Classifier,
) -> None:
    with pytest.raises(InvalidInput, match="surrogate"):
        await classifier.scores("\ud800", [Span(0, 1)])
    assert (await classifier.scores(SAID, [])).shape == (0, len(HEADS))


async def test_without_the_models_files_clauses_are_judged_by_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragpp.embedding.tuned.installed_checkpoint", lambda: Checkpoint(tmp_path))
    with pytest.raises(EmbeddingError, match="cannot read"):
        await Classifier(tmp_path).scores(SAID, CLAUSES)
    assert await usable_classifier(tmp_path) is None
