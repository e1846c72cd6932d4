"""The pure parts of the comparison: questions, means, the table and the picture."""

from xml.etree import ElementTree as ET

import pytest

from benchmarks.beside.plot import Point, picture_of
from benchmarks.beside.results import Latency, Measured, Quality, Report, Row, Searches, latency_of, quality_of
from benchmarks.beside.tables import COLUMNS, markdown_of, notes_of
from benchmarks.beside.workload import made_up, question_about

WARM = tuple(
    Searches(
        count=2,
        first_ms=3,
        p50_ms=2,
        p95_ms=4,
        clients=clients,
        per_s=500,
        core_ms={"postgres": 1.0, "client": 0.5},
        elsewhere=0,
    )
    for clients in (1, 4, 16)
)
MEASURED = Measured(
    settings={"pool": "16"},
    written_users=5,
    messages=500,
    writes_per_s=1_234.5,
    settled_s=0,
    ready_s=0.2,
    cold=Latency(count=2, first_ms=9, p50_ms=5, p95_ms=9),
    warm=WARM,
    quality=Quality(questions=2, recall_1=0.25, recall_10=0.5, mrr=0.375),
    stored_bytes=1_000_000,
    embedded=0,
)


def row(measured: Measured | None = MEASURED, failed: str = "") -> Row:
    asked = {"users": 5, "messages": 100}
    return Row(name="pgvector", title="bare", version="1", asked=asked, measured=measured, failed=failed)


def test_every_made_up_message_has_a_question_of_its_own_words() -> None:
    [said] = made_up(1, 50).values()
    questions = {question_about(message.content) for message in said}
    assert all(question.endswith("?") for question in questions)
    assert len(questions) > 20
    with pytest.raises(ValueError, match="no made-up message"):
        question_about("Anything else.")


def test_quantiles_keep_the_first_search_apart() -> None:
    found = latency_of([50.0, *range(1, 20)])
    assert (found.first_ms, found.p50_ms, found.p95_ms, found.count) == (50.0, 11, 50.0, 20)


def test_quality_is_the_mean_over_questions() -> None:
    scores = [{"R@1": 1.0, "R@10": 1.0, "MRR": 1.0}, {"R@1": 0.0, "R@10": 0.5, "MRR": 0.2}]
    assert quality_of(scores) == Quality(questions=2, recall_1=0.5, recall_10=0.75, mrr=0.6)


def test_the_table_has_a_cell_a_column_also_where_nothing_ran() -> None:
    lines = markdown_of([row(None, "no such\npackage"), row()]).splitlines()
    assert [line.count("|") for line in lines[:4]] == [len(COLUMNS) + 1] * 4
    assert lines[3] == (
        "| bare 1 | 1,234 | 5.0 / 9.0 | 2.0 / 4.0 | 2.0 / 4.0 | 2.0 / 4.0 | 500 | 1.5 | 25.0 | 50.0 | 0.375 | 2,000 |"
    )
    assert "did not run: no such package" in lines[5]


def test_a_system_may_be_measured_with_several_numbers_of_users() -> None:
    more = row().model_copy(update={"asked": {"users": 9, "messages": 100}})
    report = Report(machine={}, rows={one.key: one for one in (row(), more)})
    assert report.of({"messages": 100, "users": 9}) == [more]
    assert len(report.rows) == 2


def test_what_makes_a_row_doubtful_is_said() -> None:
    busy = tuple(one.model_copy(update={"elsewhere": 1.2}) for one in WARM)
    notes = notes_of(row(MEASURED.model_copy(update={"written_users": 3, "embedded": 7, "warm": busy})))
    assert "3 of 5 users were written in time" in notes
    assert "7 texts were embedded while they were waited for" in notes
    assert any("1.2 cores were busy" in note for note in notes)


def test_the_picture_is_whole_and_names_every_system() -> None:
    picture = picture_of([Point("RAG++", 12.0, 0.7, ours=True), Point("A & B", 0.05, 0.5)])
    tree = ET.fromstring(picture)  # noqa: S314 - it was made here
    texts = [element.text for element in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert {"RAG++", "A & B"} <= set(texts)
    circles = list(tree.iter("{http://www.w3.org/2000/svg}circle"))
    assert float(circles[0].attrib["cx"]) > float(circles[1].attrib["cx"])  # the better one is slower
    assert float(circles[0].attrib["cy"]) < float(circles[1].attrib["cy"])
