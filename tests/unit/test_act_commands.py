"""A person's acts on what is known are offered in the commands that do them, and a mistake is told by its place."""

import json
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from ragpp.api import ForgetAnswer, FoundMessage
from ragpp.errors import Conflict, MemorySystemError, NotFound
from ragpp.errors.problems import MEDIA_TYPE, problem_of
from ragpp.learned import Finding
from ragpp.models import Entity, Page, Preference, Value
from tests.support import values
from tests.support.command_line import runner

NOON = datetime(2026, 3, 8, 12, tzinfo=UTC)
ENTITIES = {
    name: Entity(id=name, name=name, label="PERSON", mentions=1, first_mention=NOON, last_mention=NOON)
    for name in ("elena", "lena", "noor", "noors")
}


class Graph(httpx.AsyncBaseTransport):
    """A graph of ENTITIES, in which each name is taken, and what two messages taught."""

    def __init__(self) -> None:
        self.merged: list[tuple[str, bytes]] = []
        self.rejected: list[str] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path, body = request.url.path.removeprefix("/v1/"), await request.aread()
        try:
            answer = self.answer(request.method, path, body)
        except MemorySystemError as error:
            return refused(error)
        return httpx.Response(200, json=answer.model_dump(mode="json"))

    def answer(self, method: str, path: str, body: bytes) -> Value:
        """The gateway's answer. Raises NotFound, Conflict."""
        kind, _, rest = path.partition("/")
        if path.endswith("/merge"):
            self.merged.append((rest.partition("/")[0], body))
            return ENTITIES["elena"]
        if kind == "findings" and rest:
            return self.finding(rest, body)
        if method == "PATCH":
            raise Conflict("another entity is named 'elena'", details={"entity_id": "elena"})
        if kind == "preferences" and (rest or method != "GET"):
            return self.preference(rest, body)
        if path == "forget":
            return about(json.loads(body)["about"]["entity"])
        if kind == "entities" and rest in ENTITIES:
            return ENTITIES[rest]
        listed: dict[str, tuple[Value, ...]] = {
            "entities": tuple(ENTITIES.values()),
            "relationships": (
                values.relationship(NOON, sources=("m1",)),
                values.relationship(NOON, id="both", target="Bath", sources=("m1", "m2")),
                values.relationship(NOON, id="sure", target="York", sources=("m1",), verdict="confirmed"),
            ),
            "preferences": (values.preference(NOON, sources=("m1",)),),
            "rules": (),
            "findings": (values.finding(NOON, id="found"),),
        }
        if rest or kind not in listed:
            raise NotFound("nothing of that id")
        return Page(items=listed[kind])

    def finding(self, rest: str, body: bytes) -> Finding:
        identifier, _, verdict = rest.partition("/")
        if verdict == "reject":
            self.rejected.append(identifier)
        text = json.loads(body).get("text", "rows")
        return values.finding(NOON, id=identifier, text=text, confidence=1.0)

    def preference(self, rest: str, body: bytes) -> Preference:
        identifier, _, verdict = rest.partition("/")
        if not rest:
            return values.preference(NOON, value=json.loads(body)["value"])
        if identifier != "given-up":
            raise NotFound("nothing of that id")
        if verdict:
            self.rejected.append(identifier)
        return values.preference(NOON, id=identifier, value="given up")


def about(entity: str) -> ForgetAnswer:
    """The answer that finds one message about Noor, and none about anybody else."""
    if entity != "Noor":
        return ForgetAnswer(found=(), total=0, token="t", names=(entity,), with_them={})
    said = FoundMessage(
        id="m1", session_id="s1", role="user", occurred_at=NOON, excerpt="Noor lives in Leeds.", why=("name",)
    )
    gone = {"relationships": 1, "preferences": 1}
    return ForgetAnswer(found=(said,), total=1, token="t", names=("Noor",), with_them=gone)


def refused(error: MemorySystemError) -> httpx.Response:
    document = problem_of(error).model_dump(mode="json")
    return httpx.Response(error.status, json=document, headers={"content-type": MEDIA_TYPE})


def test_a_name_that_is_taken_offers_the_merge_and_the_merge_is_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    graph = Graph()
    ragpp = runner(monkeypatch, capsys, graph)
    taken = ragpp("correct", "lena", "--name", "elena", "--user", "noor", home=tmp_path)
    assert taken.returncode == 1
    assert "ragpp merge elena lena --user noor" in " ".join(taken.stderr.split())
    done = ragpp("merge", "elena", "lena", "--user", "noor", home=tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, "merged lena (PERSON) into elena")
    assert [(kept, b'"lena"' in body) for kept, body in graph.merged] == [("elena", True)]
    assert ragpp("merge", "elena", "elena", "--user", "noor", home=tmp_path).returncode != 0
    assert len(graph.merged) == 1


def test_a_relationship_of_no_type_is_told_what_one_looks_like(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ragpp = runner(monkeypatch, capsys, Graph())
    done = ragpp("relate", "Elena", "lives in", "Porto", "--user", "noor", home=tmp_path)
    assert done.returncode == 2
    told = " ".join(done.stderr.replace("│", " ").split())
    assert "'TYPE': is not written in capitals" in told
    assert "LIVES_IN" in told


def test_what_goes_with_messages_is_named_with_the_command_that_states_it_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Catches a list that names what rests on other messages, too, or was confirmed, and so stays."""
    ragpp = runner(monkeypatch, capsys, Graph())
    done = ragpp("forget", "about", "--entity", "Noor", "--user", "a b", home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Noor LIVES_IN Leeds" in done.stdout
    assert "ragpp relate Noor LIVES_IN Leeds --from 2026-03-08 --user 'a b'" in done.stdout
    assert "food drink: tea" in done.stdout
    assert "Bath" not in done.stdout
    assert "York" not in done.stdout


def test_who_is_called_almost_so_is_named_beside_what_is_found_and_a_stranger_is_called_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Catches a Noor who is believed to be gone while "Noors" stays, and a misspelt name that looks like a success."""
    ragpp = runner(monkeypatch, capsys, Graph())
    done = ragpp("forget", "about", "--entity", "Noor", "--user", "a b", home=tmp_path)
    assert "also known: noors (PERSON), 1 mention: ragpp forget about --entity noors --user 'a b'" in done.stdout
    assert "elena" not in done.stdout
    assert "nobody and nothing" not in done.stdout
    stranger = ragpp("forget", "about", "--entity", "Nobody", "--user", "u1", home=tmp_path)
    assert "no message is about it\nnobody and nothing of the name 'Nobody' is known of 'u1'" in stranger.stdout
    assert "also known" not in stranger.stdout


def test_one_that_cannot_be_rejected_leaves_the_others_alone_and_is_told_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    graph = Graph()
    ragpp = runner(monkeypatch, capsys, graph)
    done = ragpp("reject", "given-up", "found", "lena", "--user", "u1", home=tmp_path)
    assert (done.returncode, done.stdout, graph.rejected) == (1, "", [])
    told = " ".join(done.stderr.split())
    assert "nothing was changed: an entity is neither" in told
    assert "ragpp correct lena --name NAME --user u1" in told
    missing = ragpp("reject", "given-up", "none-of-these", "--user", "u1", home=tmp_path)
    assert "nothing was changed: nothing that is known" in " ".join(missing.stderr.split())
    assert graph.rejected == []
    rejected = ragpp("reject", "given-up", "found", "--user", "u1", home=tmp_path).stdout.splitlines()
    assert [line.partition(":")[0] for line in rejected] == ["rejected the preference", "rejected the finding"]
    assert graph.rejected == ["given-up", "found"]


def test_a_correction_answers_with_what_holds_now(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ragpp = runner(monkeypatch, capsys, Graph())
    done = ragpp("correct", "given-up", "--value", "oat milk", "--user", "u1", home=tmp_path)
    assert done.stdout.startswith("corrected the preference: food drink: oat milk, was: food drink: given up")
    finding = ragpp("correct", "found", "--text", "rows on Fridays", "--user", "u1", home=tmp_path)
    assert finding.stdout.startswith("corrected the finding: rows on Fridays, was: rows")
    wrong = ragpp("correct", "found", "--value", "oat milk", "--user", "u1", home=tmp_path)
    assert (wrong.returncode, "a finding is corrected by --text" in " ".join(wrong.stderr.split())) == (2, True)
    assert ragpp("confirm", "found", "--user", "u1", home=tmp_path).stdout == "confirmed the finding: rows\n"


def test_a_user_may_be_named_by_the_option_everywhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ragpp = runner(monkeypatch, capsys, Graph())
    monkeypatch.delenv("RAGPP_USER", raising=False)
    for command in ("inspect", "profile", "timeline", "extract", "reflect", "forget user --dry-run"):
        missing = ragpp(*command.split(), home=tmp_path)
        assert missing.returncode == 2, missing.stderr
        assert "--user" in missing.stderr
        assert "--user" not in ragpp(*command.split(), "--user", "u1", home=tmp_path).stderr


def test_a_user_who_is_named_twice_is_not_taken_for_one_of_the_two(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Catches the erasure of a user in whose place another was meant; a variable is no second name."""
    ragpp = runner(monkeypatch, capsys, Graph())
    monkeypatch.setenv("RAGPP_USER", "bob")
    for command in ("inspect", "profile", "timeline", "extract", "reflect", "forget user --dry-run"):
        twice = ragpp(*command.split(), "ana", "--user", "bob", home=tmp_path)
        assert twice.returncode == 2, (command, twice.stderr)
        assert "'bob'" in twice.stderr
        for once in (("ana",), ("ana", "--user", "ana")):
            assert "--user" not in ragpp(*command.split(), *once, home=tmp_path).stderr
    for command in ("forget --user ana session s1 --dry-run", "review --user ana confirm x", "jobs --user ana list"):
        assert "stands behind the command" in ragpp(*command.split(), "--user", "bob", home=tmp_path).stderr
        assert "stands behind" not in ragpp(*command.replace("--user ana ", "").split(), home=tmp_path).stderr
    assert "--user" in ragpp("forget", "user", "--dry-run", home=tmp_path).stderr
