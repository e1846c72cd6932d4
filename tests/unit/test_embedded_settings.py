"""`ragpp up`: wrong settings are named, other settings are noticed, and the usual port is taken again."""

import re
import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, get_args

import pytest

from ragpp.errors import ConfigurationError
from ragpp.settings.variables import Settings
from ragpp_infra.embedded import home as home_module
from ragpp_infra.embedded.environment import changed_settings
from ragpp_infra.embedded.home import OTHER_PORTS, USUAL_PORT, Home
from ragpp_infra.embedded.known_settings import (
    COMMAND_LINE,
    check_settings,
    known_settings,
    settings_classes,
    unknown_settings,
)
from tests.support.command_line import Done
from tests.support.each import each_case
from tests.support.source import ROOT


@each_case(
    ("name", "value", "said"),
    [
        ("LOG_LEVEL", "FOO", "LOG_LEVEL: is none of DEBUG, INFO, WARNING, ERROR"),
        ("GATEWAY_TOKEN_BUDGET", "abc", "GATEWAY_TOKEN_BUDGET: Input should be a valid integer"),
        ("SEMANTIC_SEEDS", "0", "SEMANTIC_SEEDS: "),
        ("LEARNING_RETENTION", "{default: {}}", "LEARNING_RETENTION is not JSON"),
        ("LEARNING_RETENTION", '{"a": {"episodic": {"max_count": "x"}}}', "LEARNING_RETENTION.a.episodic.max_count: "),
        ("POSTGRES_IDLE_TRANSACTION_S", "8", "POSTGRES_IDLE_TRANSACTION_S must be below POSTGRES_QUERY_TIMEOUT_S"),
    ],
)
def test_a_wrong_setting_is_named_before_anything_is_started(
    name: str, value: str, said: str, ragpp: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("POSTGRES_QUERY_TIMEOUT_S", raising=False)
    monkeypatch.setenv(name, value)
    done = ragpp("up", home=tmp_path / "none")
    assert done.returncode == 1
    assert said in done.stderr
    assert not (tmp_path / "none").exists()


@each_case(
    ("name", "meant"),
    [
        ("GATEWAY_TOKEN_BUDGE", "GATEWAY_TOKEN_BUDGET"),
        ("LOG_LEVLE", "LOG_LEVEL"),
        ("POSTGRES_POOLMAX", "POSTGRES_POOL_MAX"),
        ("SHORT_TERM_XYZZY", None),
    ],
)
def test_a_misspelt_setting_is_named_with_the_one_that_was_meant(name: str, meant: str | None) -> None:
    others = ("HOME", "PATH", "POSTGRES_USER", "POSTGRES_PASSWORD", "NEO4J_HOME", "REDIS_HOST", "LOG_DIR", "RAGPP_HOME")
    assert unknown_settings((*others, *known_settings(), name)) == {name: meant}


def test_up_says_which_setting_there_is_not_before_it_starts_anything(
    ragpp: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEWAY_TOKEN_BUDGE", "1000")
    monkeypatch.setenv("LOG_LEVEL", "FOO")
    done = ragpp("up", home=tmp_path / "none")
    assert "there is no setting GATEWAY_TOKEN_BUDGE: did you mean GATEWAY_TOKEN_BUDGET?" in done.stderr
    assert done.returncode == 1
    assert not (tmp_path / "none").exists()


def _numeric() -> list[tuple[str, type[Settings]]]:
    return [
        (kind.variable(field), kind)
        for kind in settings_classes()
        for field, info in kind.model_fields.items()
        if {int, float} & {info.annotation, *get_args(info.annotation)}
    ]


SENSELESS: Final = ("inf", "-inf", "nan", "1e308", "-1e308", "99999999999999999999", "-2")


def _made(kind: type[Settings]) -> Settings:
    return kind(**{field: "" for field, info in kind.model_fields.items() if info.is_required()})


def _not_refused(name: str, value: str, read: Callable[[], object], said: str) -> str | None:
    """The outcome of `read` where it does not refuse a value with the words `said`; None where it does."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(name, value)
        try:
            read()
        except ConfigurationError as refused:
            return None if said in str(refused) else f"{name}={value!r} is refused without {said!r}: {refused}"
        except (ValueError, ArithmeticError) as raised:
            return f"{name}={value!r} raises {raised!r}"
    return f"{name}={value!r} is taken"


def test_no_number_is_taken_that_makes_no_sense() -> None:
    """Catches a numeric setting without a bound, or whose refusal does not say which setting it is."""
    outcomes = [
        _not_refused(name, value, partial(_made, kind), f"{name}: ") for name, kind in _numeric() for value in SENSELESS
    ]
    assert len(outcomes) > 500
    offenders = [outcome for outcome in outcomes if outcome]
    assert not offenders, "\n".join(offenders)


NEVER_MEANT: Final = (
    *((name, "1e-300") for name, _ in _numeric() if name.endswith(("TIMEOUT_S", "TICK_S", "EVERY_S", "PER_S"))),
    *(("GATEWAY_DEADLINE_MS", "60001"), ("GATEWAY_TOKEN_BUDGET", "200001")),  # a request may name no more
    *(("GATEWAY_HOST", host) for host in ("a b", "", "http://here", "here/there", "me@here", "a\nb")),
    ("MEMORY_DEFAULT_EXPIRATION_DAYS", "1e-300"),
    *(
        ("LEARNING_RETENTION", f'{{"a": {{"episodic": {{"{limit}": {value}}}}}}}')
        for limit in ("max_age_days", "max_idle_days", "compress_after_days", "max_count", "max_bytes")
        for value in ("1e308", "-1", "NaN", "Infinity")
    ),
)


def test_no_value_is_taken_that_could_not_be_meant() -> None:
    """Catches a setting that is within its type and means nothing: waits of no time, hosts that are none."""
    outcomes = (_not_refused(name, value, check_settings, name) for name, value in NEVER_MEANT)
    offenders = [outcome for outcome in outcomes if outcome]
    assert not offenders, "\n".join(offenders)


@each_case("host", ["0.0.0.0", "::", "localhost", "fe80::1%eth0", "ragpp_gateway.internal"])  # noqa: S104 - taken, not listened at
def test_a_name_or_an_address_is_where_a_gateway_listens(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY_HOST", host)
    monkeypatch.setenv("GATEWAY_KEY_REQUESTS_PER_S", "0")
    check_settings()


def test_every_wrong_setting_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    check_settings()
    monkeypatch.setenv("LOG_LEVEL", "FOO")
    monkeypatch.setenv("LLM_CONCURRENCY", "0")
    with pytest.raises(ConfigurationError, match=r"LLM_CONCURRENCY.*; LOG_LEVEL"):
        check_settings()


def test_settings_that_a_running_service_has_not_are_named() -> None:
    runs_with = {"LOG_LEVEL": "INFO", "LLM_CHAT": "openai:x", "POSTGRES_DSN": "here", "POSTGRES_POOL_MAX": "6"}
    with subprocess.Popen(
        ["cat"], env=runs_with, executable=shutil.which("cat"), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as service:
        try:
            assert service.stdin is not None
            assert service.stdout is not None
            service.stdin.write(b"up\n")
            service.stdin.flush()
            assert service.stdout.readline() == b"up\n"  # before that it may still be becoming another program

            def changed(name: str, given: dict[str, str]) -> list[str]:
                return changed_settings(name, service.pid, given)

            assert changed("gateway", {**runs_with, "HOME": "elsewhere", "POSTGRES_DSN": "elsewhere"}) == []
            assert changed("gateway", {**runs_with, "LOG_DIR": "elsewhere"}) == []  # no setting of ours
            assert changed("gateway", {}) == ["LLM_CHAT", "LOG_LEVEL"]  # they have their defaults again
            assert changed("workers", {}) == ["LLM_CHAT", "LOG_LEVEL"]
            assert changed("gateway", {"LOG_LEVEL": "DEBUG"}) == ["LLM_CHAT", "LOG_LEVEL"]  # LLM_CHAT is given no more
            assert changed("gateway", {**runs_with, "SEMANTIC_SEEDS": "3"}) == ["SEMANTIC_SEEDS"]
            for one, other, setting in (
                ("gateway", "workers-2", "GATEWAY_TOKEN_BUDGET"),
                ("workers-2", "gateway", "WORKER_TICK_S"),
            ):
                assert changed(one, {**runs_with, setting: "9"}) == [setting]
                assert changed(other, {**runs_with, setting: "9"}) == []
        finally:
            service.kill()
    assert changed_settings("gateway", service.pid, {"LOG_LEVEL": "DEBUG"}) == []


def test_every_setting_is_known_by_its_name() -> None:
    names = re.findall(r"^#?([A-Z0-9_]+)=", (ROOT / ".env.example").read_text(encoding="utf-8"), re.MULTILINE)
    assert {name for name in names if name not in known_settings()} == COMMAND_LINE.keys()


def test_the_usual_port_is_taken_again_once_it_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path)
    home.create()
    taken = {USUAL_PORT}
    monkeypatch.setattr(home_module, "is_free", lambda port: port not in taken)
    elsewhere = home.choose_gateway_port()
    assert elsewhere in OTHER_PORTS, "a connection of anybody may have it when the gateway comes back"
    home.return_to_usual_port()
    assert home.choose_gateway_port() == elsewhere
    taken.clear()
    assert home.choose_gateway_port() == elsewhere  # as long as something runs that knows it
    home.return_to_usual_port()
    assert home.choose_gateway_port() == USUAL_PORT


def test_provision_says_which_setting_there_is_not_before_it_asks_any_server(
    ragpp: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Catches containers that say nothing of a misspelt line in settings.env, which has no effect."""
    strong = [f"{number}f3c9b7a1e5d8026ac4f9e1b7d3" for number in range(1, 9)]
    given = {
        "PROVISION_POSTGRES_DSN": f"postgresql://postgres:{strong[0]}@127.0.0.1:1/postgres",
        "PROVISION_REDIS_URL": f"redis://default:{strong[1]}@127.0.0.1:1/0",
        "PROVISION_NEO4J_PASSWORD": strong[2],
        "POSTGRES_DSN": f"postgresql://ragpp_app:{strong[3]}@127.0.0.1:1/ragpp",
        "POSTGRES_OWNER_DSN": f"postgresql://ragpp_owner:{strong[4]}@127.0.0.1:1/ragpp",
        "POSTGRES_RELAY_DSN": f"postgresql://ragpp_relay:{strong[5]}@127.0.0.1:1/ragpp",
        "REDIS_URL": f"redis://ragpp:{strong[6]}@127.0.0.1:1/0",
        "REDIS_REWRITE_URL": f"redis://ragpp_rewriter:{strong[7]}@127.0.0.1:1/0",
        "NEO4J_URI": "bolt://127.0.0.1:1",
        "NEO4J_PASSWORD": "a8e2d5c7f1b4930e6d8c2a5f7b",
        "GATEWAY_TOKEN_BUDGT": "77",
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    done = ragpp("provision", "--patience", "0", home=tmp_path / "none")
    assert done.returncode == 1
    assert "there is no setting GATEWAY_TOKEN_BUDGT: did you mean GATEWAY_TOKEN_BUDGET?" in done.stderr
