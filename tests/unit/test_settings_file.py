"""A stack's settings at its start: `.env` and the environment, which of them counts, and what `ragpp config` tells."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ragpp.embedding.factory import make_embedder
from ragpp.errors import ConfigurationError
from ragpp.places import cache_folder
from ragpp.settings import EmbeddingSettings
from ragpp_infra.embedded.environment import embedding_cache, of_service, wanted_port, without_effect
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.in_force import MASK, shown
from ragpp_infra.embedded.known_settings import (
    COMMAND_LINE,
    check_settings,
    known_settings,
    misspelt_in_file,
    unknown_of_command_line,
)
from ragpp_infra.embedded.settings_file import adopt
from ragpp_infra.secret_file import SECRETS
from tests.support.command_line import Done
from tests.support.each import each_case


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where commands are run; what they take from a file there goes with the test."""
    monkeypatch.chdir(tmp_path)
    for name in ("GATEWAY_TOKEN_BUDGET", "LOG_LEVEL", "LLM_OPENAI_API_KEY", "SEMANTIC_SEEDS", "POSTGRES_DSN"):
        monkeypatch.setenv(name, "")  # so that it is taken away again afterwards
        monkeypatch.delenv(name)
    return tmp_path


def test_the_file_gives_what_the_environment_has_not(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / ".env").write_text(
        "# ours\nexport GATEWAY_TOKEN_BUDGET=1000   # less\nLOG_LEVEL='DEBUG'\nPOSTGRES_DSN=postgresql://elsewhere\n"
        "NEO4J_ADMIN_PASSWORD=of-a-container\nSEMANTIC_SEDS=3\nRAGPP_URL=http://elsewhere\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("LOG_LEVEL", "WARNING")
    adopted = adopt()
    assert adopted.names == ("GATEWAY_TOKEN_BUDGET",)
    assert (os.environ["GATEWAY_TOKEN_BUDGET"], os.environ["LOG_LEVEL"]) == ("1000", "WARNING")
    assert "POSTGRES_DSN" not in os.environ  # the stack's own is another
    assert adopted.unknown == {"SEMANTIC_SEDS": "SEMANTIC_SEEDS"}
    assert adopted.without_effect == ("RAGPP_URL",)  # it would be sent the key of the environment
    assert os.environ.get("RAGPP_URL") != "http://elsewhere"


def test_a_wrong_value_in_the_file_is_one_line_before_anything_is_started(
    folder: Path, ragpp: Callable[..., Done]
) -> None:
    (folder / ".env").write_text("GATEWAY_TOKEN_BUDGET=abc\nGATEWAY_TOKN_BUDGET=5\n", encoding="utf-8")
    done = ragpp("restart", home=folder / "none")
    assert done.returncode == 1
    assert [line for line in done.stderr.splitlines() if "GATEWAY_TOKEN_BUDGET: Input should be" in line]
    assert "there is no setting GATEWAY_TOKN_BUDGET: did you mean GATEWAY_TOKEN_BUDGET?" in done.stderr
    assert not (folder / "none").exists()


@each_case("command", ["config", "restart"])
def test_a_line_of_the_file_that_counts_for_nothing_is_told_by_its_number_and_without_its_value(
    command: str, folder: Path, ragpp: Callable[..., Done]
) -> None:
    (folder / ".env").write_text(
        "# ours\n\nGATEWEY_PORT=5\nGATEWAY_PORT 8800\n\nLLM_OPENAI_API_KEY\nLOG_LEVEL='DEBUG\nDATABASE_URL=elsewhere\n"
        "GATEWAY_TOKEN_BUDGET=wrong\n",
        encoding="utf-8",
    )
    done = ragpp(command, home=folder / "none")
    assert done.returncode == 1  # before anything is started
    assert "there is no setting GATEWEY_PORT: did you mean GATEWAY_PORT? (.env, line 3)" in done.stderr
    told = [line for line in done.stderr.splitlines() if "is no assignment" in line]
    assert told == [f".env, line {number} is no assignment (NAME=value) and has no effect" for number in (4, 6, 7)]
    assert not [word for word in ("8800", "DEBUG", "DATABASE_URL") if word in done.stderr]


def test_what_is_told_of_the_file_is_told_as_json_too(folder: Path, ragpp: Callable[..., Done]) -> None:
    (folder / ".env").write_text("GATEWEY_PORT=5\nGATEWAY_PORT 8800\n", encoding="utf-8")
    told = json.loads(ragpp("config", "--json", home=folder / "none").stdout)
    assert (told["unknown_settings"], told["broken_lines"]) == ({"GATEWEY_PORT": "GATEWAY_PORT"}, [2])


@each_case(
    ("name", "meant"),
    [
        ("GATEWEY_PORT", "GATEWAY_PORT"),
        ("gateway_port", "GATEWAY_PORT"),
        ("RAGP_HOME", "RAGPP_HOME"),
        ("RAGPP_HOEM", "RAGPP_HOME"),
        ("SEMANTIC_XYZZY", None),
    ],
)
def test_a_name_in_the_file_that_is_near_one_of_ours_is_told(name: str, meant: str | None) -> None:
    of_others = ("OPENAI_API_KEY", "DATABASE_URL", "POSTGRES_USER", "REDIS_HOST", "HTTP_PORT", "DEBUG", "PORT")
    assert misspelt_in_file((*of_others, *known_settings(), *COMMAND_LINE, *SECRETS, "RAGPP_VERSION", name)) == {
        name: meant
    }


@each_case("command", [("status",), ("recall", "x", "--user", "u")])
def test_a_misspelt_variable_of_the_command_line_is_named_by_every_command(
    command: tuple[str, ...], folder: Path, ragpp: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGPP_HOEM", "elsewhere")
    done = ragpp(*command, home=folder / "none")
    assert "there is no setting RAGPP_HOEM: did you mean RAGPP_HOME?" in done.stderr
    assert unknown_of_command_line(["RAGPP_HOME", "RAGPP_VERSION", "PATH", "RAGPP_XYZ"]) == {"RAGPP_XYZ": None}


def without_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of the settings of models that tests of the same process may have left."""
    for name in [name for name in os.environ if name.startswith(("EMBEDDING_", "LLM_"))]:
        monkeypatch.delenv(name)


@each_case(
    ("given", "said"),
    [
        ({"EMBEDDING_DIMENSION": "768"}, "EMBEDDING_PROVIDER=onnx is"),
        (
            {"EMBEDDING_PROVIDER": "openai", "EMBEDDING_MODEL": "m"},
            "EMBEDDING_PROVIDER=openai needs EMBEDDING_BASE_URL",
        ),
        ({"LLM_EXTRACTION": "gpt-5"}, "LLM_EXTRACTION: has to be provider:model"),
        ({"LLM_EXTRACTION": "openai:gpt-5"}, "LLM_OPENAI_API_KEY is not set"),
    ],
)
def test_settings_that_do_not_go_together_are_told_before_a_worker_ends_of_them(
    given: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker without its model's key ended after `ragpp up` had said that all was ready."""
    without_models(monkeypatch)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError, match=said):
        check_settings()


def test_config_tells_where_a_setting_comes_from_and_no_secret(
    folder: Path, ragpp: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / ".env").write_text("GATEWAY_TOKEN_BUDGET=1000\n", encoding="utf-8")
    monkeypatch.setenv("LLM_OPENAI_API_KEY", "top-secret-key-1")
    monkeypatch.setenv("LOG_LEVEL", "DEBUG")
    done = ragpp("config", "--json", home=folder / "none")
    assert done.returncode == 0, done.stderr
    assert "top-secret" not in done.stdout
    told = {one["name"]: (one["value"], one["origin"]) for one in json.loads(done.stdout)["settings"]}
    assert told["GATEWAY_TOKEN_BUDGET"] == ("1000", ".env")
    assert told["LOG_LEVEL"] == ("DEBUG", "environment")
    assert told["LLM_OPENAI_API_KEY"] == (MASK, "environment")
    assert told["SEMANTIC_SEEDS"] == ("12", "default")
    assert told["POSTGRES_DSN"] == (None, "stack")


def test_config_shows_some_and_names_what_is_wrong(
    folder: Path, ragpp: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOG_LEVEL", "FOO")
    done = ragpp("config", "log", home=folder / "none")
    assert done.returncode == 1
    assert "LOG_LEVEL: is none of" in done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["setting", "LOG_LEVEL", "LOG_FORMAT"]
    assert ragpp("config", "nothing", home=folder / "none").returncode == 2


@each_case(
    ("value", "told"),
    [
        ("postgresql://ragpp_app:pw@db:5432/ragpp?password=pw", f"postgresql://ragpp_app:{MASK}@db:5432/ragpp"),
        ("pw@db", MASK),
        ("pw", MASK),
        ("", ""),
    ],
)
def test_of_an_address_the_password_alone_is_masked(value: str, told: str) -> None:
    assert shown(value, secret=True) == told


def test_a_password_in_an_address_that_is_no_secret_is_masked_too() -> None:
    assert shown("https://me:pw@endpoint/v1", secret=False) == f"https://me:{MASK}@endpoint/v1"
    assert shown("me@pw", secret=False) == "me@pw"


def test_the_caches_are_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAGPP_CACHE", "EMBEDDING_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert embedding_cache() == cache_folder() == tmp_path / "xdg" / "ragpp"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == Path.home() / ".cache" / "ragpp"
    monkeypatch.setenv("RAGPP_CACHE", str(tmp_path / "ours"))
    assert embedding_cache() == cache_folder() == tmp_path / "ours"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EMBEDDING_CACHE_DIR", "here")
    assert embedding_cache() == tmp_path / "here"
    assert cache_folder() == tmp_path / "ours"


async def test_a_service_on_its_own_keeps_its_graph_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_models(monkeypatch)
    monkeypatch.setenv("RAGPP_CACHE", str(tmp_path / "ours"))
    embedder = make_embedder(EmbeddingSettings())
    try:
        await embedder.embed(["anything"])
    finally:
        await embedder.close()
    assert [*(tmp_path / "ours").iterdir()]


@each_case(
    ("service", "has_not"),
    [
        ("gateway", {"POSTGRES_OWNER_DSN", "POSTGRES_RELAY_DSN", "REDIS_REWRITE_URL"}),
        ("workers-2", {"POSTGRES_OWNER_DSN"}),
    ],
)
def test_a_service_is_given_no_role_that_it_has_no_use_for(service: str, has_not: set[str]) -> None:
    """Also where the shell that starts it has the credentials of another deployment."""
    roles = {"POSTGRES_DSN", "POSTGRES_OWNER_DSN", "POSTGRES_RELAY_DSN", "REDIS_URL", "REDIS_REWRITE_URL"}
    administrators = {"PROVISION_POSTGRES_DSN", "POSTGRES_ADMIN_PASSWORD", "POSTGRES_OWNER_PASSWORD"}
    given = dict.fromkeys({*roles, *administrators, "PATH", "NEO4J_PASSWORD", "FORGETTING_KEY"}, "x")
    assert of_service(service, given).keys() == given.keys() - has_not - administrators


def test_what_the_stack_sets_itself_is_told_to_have_no_effect() -> None:
    stack = {"POSTGRES_DSN": "here", "GATEWAY_HOST": "127.0.0.1"}
    assert without_effect({"POSTGRES_DSN": "there", "GATEWAY_HOST": "127.0.0.1", "LOG_LEVEL": "x"}, stack) == [
        "POSTGRES_DSN"
    ]


@each_case(("given", "port"), [({}, None), ({"GATEWAY_PORT": "0"}, None), ({"GATEWAY_PORT": "9"}, 9)])
def test_the_port_that_is_asked_for_is_known(given: dict[str, str], port: int | None) -> None:
    assert wanted_port(given) == port


def test_the_port_that_is_asked_for_is_taken_where_it_is_free(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.create()
    free = home.choose_port("another")
    assert home.choose_gateway_port(free) == free
    assert home.choose_gateway_port() == free
