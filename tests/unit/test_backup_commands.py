"""`ragpp backup` and `ragpp restore` as the shell sees them: what they refuse before anything is stopped or written."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.stack import Stack
from tests.support.archives import FORGETTING_KEY, manifest, written
from tests.support.command_line import Done, runner
from tests.support.each import each_case


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    def started(*_given: object, **_more: object) -> None:
        pytest.fail("starts a server")

    monkeypatch.setattr(Stack, "up", started)
    monkeypatch.delenv("PROVISION_POSTGRES_DSN", raising=False)
    return runner(monkeypatch, capsys)


def test_a_backup_of_a_stack_that_does_not_run_is_told_so(run: Callable[..., Done], tmp_path: Path) -> None:
    done = run("backup", str(tmp_path / "m"), home=tmp_path / "home")
    assert done.returncode == 3
    assert "MEM-032" in done.stderr
    assert not (tmp_path / "m").exists()


@each_case("arguments", [("-", "--json"), ("there",)])
def test_a_backup_writes_over_nothing_and_no_json_into_itself(
    run: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").write_text("mine")
    monkeypatch.setattr("ragpp_infra.cli.backup_command.place_of", lambda *_given: None)
    assert run("backup", *arguments, home=tmp_path / "home").returncode == 2
    assert (tmp_path / "there").read_text() == "mine"


def test_a_damaged_file_is_refused_as_a_problem(run: Callable[..., Done], tmp_path: Path) -> None:
    (tmp_path / "m").write_text("no backup")
    done = run("restore", str(tmp_path / "m"), "--json", home=tmp_path / "home")
    assert done.returncode == 1
    problem = json.loads(done.stderr)
    assert problem["code"] == "MEM-053"
    assert problem["recovery_suggestions"]


def test_a_backup_is_read_from_standard_input_which_cannot_be_asked_as_well(
    run: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "m")
    whole = (tmp_path / "m").read_bytes()
    for sent, told in ((whole, "another FORGETTING_KEY"), (whole[:2600], "standard input: it is cut off")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(sent)))
        done = run("restore", "-", home=tmp_path / "home")
        assert done.returncode == 1
        assert told in done.stderr
    done = run("restore", "-", "--replace", home=tmp_path / "home")
    assert done.returncode == 2
    assert "--yes" in done.stderr


def test_another_key_is_refused_before_a_server_starts_and_the_folder_has_one_to_be_replaced(
    run: Callable[..., Done], tmp_path: Path
) -> None:
    written(tmp_path / "m")
    done = run("restore", str(tmp_path / "m"), home=tmp_path / "home")
    assert done.returncode == 1
    assert "MEM-053" in done.stderr
    assert "secrets.json" in done.stderr
    assert Home(tmp_path / "home").passwords().forgetting_key


def test_one_that_is_too_old_is_refused_before_a_server_starts(run: Callable[..., Done], tmp_path: Path) -> None:
    written(tmp_path / "m", moment=manifest().moment.replace(year=2020))
    home = Home(tmp_path / "home")
    Stack(home.path).prepare()
    secrets = home.path / "secrets.json"
    known = json.loads(secrets.read_text()) | {"forgetting_key": FORGETTING_KEY.get_secret_value()}
    secrets.write_text(json.dumps(known))
    done = run("restore", str(tmp_path / "m"), home=home.path)
    assert done.returncode == 1
    assert "MEM-054" in done.stderr
    assert "--despite-age" in done.stderr
