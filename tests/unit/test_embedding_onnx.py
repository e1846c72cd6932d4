"""The default embedder gives the published model's vectors, from verified files, whatever it is asked."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.embedding.checkpoint import DISTRIBUTION, Checkpoint, installed_checkpoint
from ragpp.embedding.onnx import OnnxEmbedder
from ragpp.errors import EmbeddingError, InvalidInput
from tests.support.each import each_case

REFERENCE = Path(__file__).parents[1] / "data" / "reference_vectors.json"
TOLERANCE = 1e-5


@pytest.fixture(scope="session")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("graph")


@pytest.fixture(scope="session")
async def embedder(cache_dir: Path) -> AsyncIterator[OnnxEmbedder]:
    embedder = OnnxEmbedder(cache_dir)
    yield embedder
    await embedder.close()


@pytest.fixture(scope="session")
def reference() -> list[tuple[str, list[float]]]:
    return [(row["text"], row["vector"]) for row in json.loads(REFERENCE.read_text(encoding="ascii"))["rows"]]


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def graph_in(folder: Path) -> Path:
    [graph] = folder.glob("*.onnx")
    return graph


async def test_vectors_equal_those_of_sentence_transformers(
    embedder: OnnxEmbedder, reference: list[tuple[str, list[float]]]
) -> None:
    assert len(reference) == 50
    rows = await embedder.embed([text for text, _ in reference])
    expected = np.array([vector for _, vector in reference], dtype=np.float32)
    assert np.abs(rows - expected).max() <= TOLERANCE


async def test_a_text_embedded_alone_equals_itself_in_a_batch(
    embedder: OnnxEmbedder, reference: list[tuple[str, list[float]]]
) -> None:
    for text, vector in reference:
        [row] = await embedder.embed([text])
        assert np.abs(row - np.array(vector)).max() <= TOLERANCE


async def test_rows_are_float32_of_length_one_in_the_order_of_the_texts(embedder: OnnxEmbedder) -> None:
    texts = [f"{'long ' * (number % 7 * 20)}text number {number}" for number in range(150)]
    rows = await embedder.embed(texts)
    assert rows.shape == (150, embedder.dimension)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    [probe] = await embedder.embed([texts[97]])
    assert int(np.argmax(rows @ probe)) == 97


async def test_no_texts_give_no_rows(embedder: OnnxEmbedder) -> None:
    assert (await embedder.embed([])).shape == (0, embedder.dimension)


async def test_meaning_is_nearer_than_wording(embedder: OnnxEmbedder) -> None:
    question, answer, other = await embedder.embed(
        ["Which animal does she keep?", "She has a little dog named Biscuit.", "Which bus does she take?"]
    )
    assert question @ answer > question @ other


async def test_what_is_beyond_256_tokens_changes_nothing(embedder: OnnxEmbedder) -> None:
    start = "harbour " * 254
    rows = await embedder.embed([start, start + "mountain " * 10, start + "z" * 90_000])
    assert np.abs(rows - rows[0]).max() <= TOLERANCE


@each_case(
    "text", ["\x00", "a" * 100_000, "🎉" * 5_000, "\n" * 100_000, "漢" * 20_000, "[SEP][SEP]", "e\u0301" * 5_000]
)
async def test_odd_texts_have_a_vector(embedder: OnnxEmbedder, text: str) -> None:
    [row] = await embedder.embed([text])
    assert np.isclose(np.linalg.norm(row), 1.0, atol=1e-5)


@given(texts=st.lists(st.text(max_size=60), max_size=6))
async def test_any_unicode_text_has_a_vector(embedder: OnnxEmbedder, texts: list[str]) -> None:
    rows = await embedder.embed(texts)
    assert rows.shape == (len(texts), embedder.dimension)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)


async def test_a_lone_surrogate_is_invalid_input(embedder: OnnxEmbedder) -> None:
    with pytest.raises(InvalidInput, match="lone surrogate"):
        await embedder.embed(["fine", "broken \ud800 text"])


async def test_one_text_in_place_of_a_sequence_is_a_mistake(embedder: OnnxEmbedder) -> None:
    with pytest.raises(TypeError, match="sequence"):
        await embedder.embed("a text")


async def test_composed_and_decomposed_accents_are_the_same_text(embedder: OnnxEmbedder) -> None:
    text = "crème brûlée à la française"
    rows = await embedder.embed([text, unicodedata.normalize("NFD", text)])
    assert np.abs(rows[0] - rows[1]).max() <= TOLERANCE


async def test_the_event_loop_runs_while_a_long_batch_is_embedded(embedder: OnnxEmbedder) -> None:
    turns = 0
    task = asyncio.ensure_future(embedder.embed(["a sentence of some length, to keep it busy for a while"] * 60))
    while not task.done():
        await asyncio.sleep(0)
        turns += 1
    await task
    assert turns > 20


async def test_a_second_embedder_takes_the_cached_graph(cache_dir: Path, embedder: OnnxEmbedder) -> None:
    await embedder.warm()
    graph = graph_in(cache_dir)
    written = graph.stat().st_mtime_ns
    second = OnnxEmbedder(cache_dir)
    await second.health_check()
    await second.close()
    assert graph.stat().st_mtime_ns == written
    assert [name for name in names_in(cache_dir) if name.startswith(".")] == []  # no temporary file stays behind


@each_case("suffix", [".onnx", ".tables"])
async def test_a_damaged_cached_graph_is_made_again(
    tmp_path: Path, cache_dir: Path, embedder: OnnxEmbedder, suffix: str
) -> None:
    await embedder.warm()
    for name in names_in(cache_dir):
        shutil.copy(cache_dir / name, tmp_path)
    graph = graph_in(tmp_path).with_suffix(suffix)
    sound = graph.read_bytes()
    graph.write_bytes(sound[:-1_000_000] + bytes(1_000_000))
    second = OnnxEmbedder(tmp_path)
    [row] = await second.embed(["the same vector"])
    await second.close()
    assert np.abs(row - (await embedder.embed(["the same vector"]))[0]).max() <= TOLERANCE
    assert graph.read_bytes() == sound


async def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    embedder = OnnxEmbedder(tmp_path / "file" / "cache")
    assert (await embedder.embed(["works"])).shape == (1, 384)
    await embedder.close()


@each_case("name", ["model.safetensors", "tokenizer.json"])
async def test_files_that_are_not_the_published_ones_are_refused(tmp_path: Path, name: str) -> None:
    installed = installed_checkpoint().folder
    for file in ("model.safetensors", "tokenizer.json"):
        (tmp_path / file).symlink_to(installed / file)
    (tmp_path / name).unlink()
    (tmp_path / name).write_bytes((installed / name).read_bytes()[:-1] + b"x")
    embedder = OnnxEmbedder(tmp_path / "cache", checkpoint=Checkpoint(tmp_path))
    with pytest.raises(EmbeddingError, match=f"not the published {name}") as caught:
        await embedder.embed(["text"])
    await embedder.close()
    assert caught.value.suggestions


async def test_missing_files_are_named(tmp_path: Path) -> None:
    embedder = OnnxEmbedder(tmp_path, checkpoint=Checkpoint(tmp_path / "nowhere"))
    with pytest.raises(EmbeddingError, match=r"tokenizer\.json"):
        await embedder.health_check()
    await embedder.close()


def test_a_missing_model_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragpp.embedding.checkpoint.FOLDERS", {"no-such-distribution": "model"})
    with pytest.raises(EmbeddingError, match=DISTRIBUTION):
        installed_checkpoint()


async def test_a_closed_embedder_says_so(cache_dir: Path) -> None:
    embedder = OnnxEmbedder(cache_dir)
    await embedder.close()
    await embedder.close()
    with pytest.raises(EmbeddingError, match="closed"):
        await embedder.embed(["text"])


def test_the_runtime_leaves_no_trace_of_the_machine_and_tells_nobody_of_it(cache_dir: Path, tmp_path: Path) -> None:
    """ONNX Runtime 1.31 makes an id of the machine in the user's cache folder and reports to its makers."""
    program = (
        "import asyncio, sys; from pathlib import Path; from ragpp.embedding.onnx import OnnxEmbedder; "
        "asyncio.run(OnnxEmbedder(Path(sys.argv[1])).embed(['a text']))"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))}
    subprocess.run(
        [sys.executable, "-c", program, str(cache_dir)], check=True, env=kept | {"HOME": str(tmp_path)}, cwd=tmp_path
    )
    assert [str(path) for path in tmp_path.rglob("*") if path.is_file()] == []
