"""Usage of the command line: what is wrong usage and which option is named, and how commands explain themselves."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ragpp_infra.cli.main import CONTENTS
from tests.support.command_line import Done
from tests.support.each import each_case

ONE_WORD = (
    "up",
    "down",
    "restart",
    "config",
    "status",
    "logs",
    "remember",
    "recall",
    "ingest",
    "import",
    "pending",
    "chat",
    "demo",
    "key",
    "jobs",
    "extract",
)
COMMANDS = (
    *ONE_WORD,
    *("jobs list", "jobs show", "jobs retry", "jobs cancel", "jobs lag", "reflect"),
    *("forget message", "forget about", "forget session", "forget user"),
    *("review", "review confirm", "review reject", "forget"),
    *("profile", "users", "confirm", "reject", "correct", "relate"),
)


def test_the_list_of_commands_says_of_each_what_its_own_help_begins_with(
    ragpp: Callable[..., Done], tmp_path: Path
) -> None:
    listed = re.sub(r"[\s│]+", " ", ragpp("--help", home=tmp_path).stdout)
    for name, (_, _, line) in CONTENTS.items():
        assert f"{name} {line}" in listed
        explained = re.sub(r"[\s│]+", " ", ragpp(name, "--help", home=tmp_path).stdout)
        assert re.search(rf"^ Usage: ragpp {name} (?:\S+ ){{1,4}}?{re.escape(line.rstrip('.'))}", explained)


def test_a_line_of_help_is_broken_where_the_terminal_ends_and_nowhere_else(
    ragpp: Callable[..., Done], tmp_path: Path
) -> None:
    shown = ragpp("mcp", "--help", home=tmp_path).stdout
    assert "names a gateway, and tools say so until it is there." in shown


def test_a_misspelt_command_is_wrong_usage_and_the_right_one_is_named(
    ragpp: Callable[..., Done], tmp_path: Path
) -> None:
    done = ragpp("remembr", "anything", home=tmp_path)
    assert done.returncode == 2
    assert "remember" in done.stderr


def test_wrong_usage_answers_2(ragpp: Callable[..., Done], tmp_path: Path) -> None:
    assert ragpp("recall", "anything", home=tmp_path).returncode == 2


WRONGLY_USED: Final = (
    ("recall x --user u1 --tiers foo", "--tiers"),
    ("recall x --user u1 --budget -5", "--budget"),
    ("recall x --user u1 --budget many", "--budget"),
    ("recall x --user u1 --deadline 0", "--deadline"),
    ("recall x --user u1 --limit 0", "--limit"),
    ("recall x --user u1 --as-of yesterday", "--as-of"),
    ("recall  --user u1", "query"),
    ("recall x --user ", "--user"),
    ("remember  --user u1", "text"),
    ("catalog stats --user ", "--user"),
    ("jobs --user ", "--user"),
    ("jobs list --user ", "--user"),
    ("jobs list --state bogus", "--state"),
    ("pending --user ", "--user"),
    ("agents compare ergon --user ", "--user"),
    ("remember x --user u1 --role robot", "--role"),
    ("remember x --user u1 --at yesterday", "--at"),
    ("remember x --user u1 --visibility nobody", "--visibility"),
    ("jobs --state bogus", "--state"),
    ("extract u1 --from yesterday", "--from"),
    ("reflect u1 --date yesterday", "--date"),
    ("review --user u1 --below 3", "--below"),
    ("inspect u1 --as-of yesterday", "--as-of"),
    ("chat --user u1 --at yesterday", "--at"),
)


def test_a_value_that_cannot_be_is_wrong_usage_and_its_option_is_named(
    ragpp: Callable[..., Done], tmp_path: Path
) -> None:
    """Catches an option whose wrong value gets to a gateway, or is refused without saying which option it was."""
    offenders = []
    for number, (command, named) in enumerate(WRONGLY_USED):
        given, home = command.split(" "), tmp_path / str(number)
        plainly, as_json = ragpp(*given, home=home), ragpp(*given, "--json", home=home)
        if not _is_told_plainly(plainly, given[0], named):
            offenders.append(f"ragpp {command}: {named} is expected to be named, came {_ended(plainly)}")
        if not _is_told_as_json(as_json, named):
            offenders.append(f"ragpp {command} --json: {named} is expected to be named, came {_ended(as_json)}")
    assert not offenders, "\n".join(offenders)


def _ended(done: Done) -> str:
    """Exit code and what was said, without the frames around it."""
    said = re.sub(r"[\s─-╿]+", " ", done.stdout + done.stderr)
    return f"{done.returncode} {said}"


def _is_told_plainly(done: Done, command: str, option: str) -> bool:
    said = (f"Usage: ragpp {command}", f"Invalid value for '{option}'")
    return done.returncode == 2 and all(one in done.stderr for one in said)


def _is_told_as_json(done: Done, option: str) -> bool:
    try:
        return done.returncode == 2 and option in json.loads(done.stderr)["detail"]
    except (ValueError, KeyError):
        return False


@each_case("number", ["0", "65", "-1", "two", "1.5"])
def test_a_number_of_workers_that_cannot_be_is_wrong_usage(
    number: str, ragpp: Callable[..., Done], tmp_path: Path
) -> None:
    done = ragpp("up", "--workers", number, home=tmp_path / "none")
    assert done.returncode == 2
    assert "--workers" in done.stderr
    assert not (tmp_path / "none").exists()


@each_case("command", ["recall x --user u1", "jobs", "chat --user u1"])
def test_an_address_without_http_is_wrong_usage_and_says_what_is_missing(
    command: str, ragpp: Callable[..., Done], tmp_path: Path
) -> None:
    done = ragpp(*command.split(), "--url", "localhost:47335", "--key", "k", home=tmp_path)
    assert done.returncode == 2
    said = "(env var: 'RAGPP_URL'): 'localhost:47335' has no http:// or https:// before it"
    assert said in re.sub(r"[\s│]+", " ", done.stderr)


@each_case("command", ["remember", "recall"])
def test_help_names_the_session_that_is_meant_without_one(
    command: str, ragpp: Callable[..., Done], tmp_path: Path
) -> None:
    shown = re.sub(r"[\s│]+", " ", ragpp(command, "--help", home=tmp_path).stdout)
    assert re.search(r"--session -s <str> [^-]*; default: default\.", shown)


def test_every_command_explains_itself_with_an_example(ragpp: Callable[..., Done], tmp_path: Path) -> None:
    """Catches a command whose help has no example, or one of another command."""
    offenders = [
        f"ragpp {command} --help: {_ended(done)}"
        for number, command in enumerate(COMMANDS)
        for done in (ragpp(*command.split(), "--help", home=tmp_path / str(number)),)
        if done.returncode != 0 or f"Example: ragpp {command}" not in re.sub(r"\s+", " ", done.stdout)
    ]
    assert not offenders, "\n".join(offenders)
