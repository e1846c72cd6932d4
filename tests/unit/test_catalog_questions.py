"""The questions to the catalog: each can be answered, and the blind half is as it was written."""

from pathlib import Path

import pytest

from benchmarks.eval_catalog import FILES, read_questions, read_resources
from benchmarks.sealed import sealed


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_an_answer_must_say_stands_in_the_resource_that_answers(path: Path) -> None:
    contents = {one.id: one for one in read_resources()}
    unanswered = [one.id for one in read_questions(path) if not one.answered_by(contents[one.resource].content)]
    assert unanswered == []


def test_a_blind_half_that_was_changed_is_refused(tmp_path: Path) -> None:
    for suffix in (".jsonl", ".sha256"):
        (tmp_path / f"blind{suffix}").write_bytes(FILES[1].with_suffix(suffix).read_bytes())
    assert sealed(tmp_path / "blind.jsonl") == FILES[1].read_text("utf-8")
    with (tmp_path / "blind.jsonl").open("a") as file:
        file.write("\n")
    with pytest.raises(ValueError, match="without sight"):
        sealed(tmp_path / "blind.jsonl")
