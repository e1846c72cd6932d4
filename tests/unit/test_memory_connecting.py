"""Which gateway a manager speaks to, what it refuses to be told, and what importing it costs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

from ragpp import AsyncMemoryClient, MemoryClient, MemoryConfig, MemoryManager, MemoryRetryConfig
from ragpp.errors import ConfigurationError, InvalidInput
from ragpp.settings import EmbeddingSettings, LanguageModelSettings
from ragpp_infra.embedded.home import Home
from tests.support.each import each_case

NAMES = ("RAGPP_URL", "RAGPP_API_KEY", "RAGPP_HOME")


@pytest.fixture(autouse=True)
def _nothing_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A stack's folder, as it is after a start."""
    made = Home(tmp_path / ".ragpp")
    made.create()
    made.remember("gateway_port", "8711")
    made.write_key("rp_of_the_stack")
    made.write_client(os.getpid())
    return made


def address_of(manager: MemoryManager) -> tuple[str, str]:
    http = manager._whose.client._http
    return str(http.base_url).rstrip("/"), http.headers["authorization"].removeprefix("Bearer ")


def test_without_any_gateway_it_says_how_to_start_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"RAGPP_URL and RAGPP_API_KEY are not set") as caught:
        MemoryManager()
    assert str(tmp_path / ".ragpp" / "client.json") in caught.value.message
    assert any("ragpp up" in one for one in caught.value.suggestions)


def test_the_stack_of_this_folder_is_found_without_being_named(home: Home) -> None:
    assert address_of(MemoryManager()) == (home.url(), home.key())
    for http in (MemoryClient()._http, AsyncMemoryClient()._http):
        assert (str(http.base_url).rstrip("/"), http.headers["authorization"]) == (home.url(), f"Bearer {home.key()}")


def test_the_stack_of_another_folder_is_found_by_its_name(
    home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with pytest.raises(ConfigurationError):
        MemoryManager()
    monkeypatch.setenv("RAGPP_HOME", str(home.path))
    assert address_of(MemoryManager()) == ("http://127.0.0.1:8711", "rp_of_the_stack")


def test_what_the_environment_names_goes_before_the_stack_and_a_client_before_both(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGPP_URL", "http://memory.example")
    with pytest.raises(ConfigurationError, match="RAGPP_API_KEY"):
        MemoryManager()
    monkeypatch.setenv("RAGPP_API_KEY", "rp_of_the_host")
    assert address_of(MemoryManager()) == ("http://memory.example", "rp_of_the_host")
    given = AsyncMemoryClient("http://given.example", "rp_given")
    assert address_of(MemoryManager(client=given)) == ("http://given.example", "rp_given")
    assert home.key() == "rp_of_the_stack"


def test_a_client_that_cannot_be_awaited_is_refused_with_the_one_that_can() -> None:
    """It was the name of the other for long."""
    with pytest.raises(ConfigurationError, match="none to await") as caught:
        MemoryManager(client=MemoryClient("http://given.example", "k"))  # type: ignore[arg-type]  # on purpose
    assert "AsyncMemoryClient" in caught.value.suggestions[0]


def test_access_is_written_for_its_owner_alone_and_gone_when_the_stack_is(home: Home) -> None:
    file = home.path / "client.json"
    assert file.stat().st_mode & 0o777 == 0o600
    home.write_key("rp_new")
    home.write_client(os.getpid())
    assert address_of(MemoryManager())[1] == "rp_new"
    home.remove_client()
    assert not file.exists()
    home.remove_client()


@each_case("mode", [0o640, 0o604, 0o620, 0o602])
def test_access_that_others_may_have_written_or_read_is_not_trusted(home: Home, mode: int) -> None:
    """Whoever can write it could lead a memory to a gateway of their own."""
    (home.path / "client.json").chmod(mode)
    with pytest.raises(ConfigurationError, match="not yours alone"):
        MemoryManager()


@pytest.mark.skipif(sys.platform != "linux", reason="no other system tells the birth of a process without a library")
def test_the_key_is_told_to_nobody_once_the_gateway_has_crashed(home: Home) -> None:
    """Catches a file that outlives its gateway, at whose port another program listens: also where the pid is taken."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as gateway:
        home.write_client(gateway.pid)
        assert address_of(MemoryManager())[1] == "rp_of_the_stack"
        gateway.kill()
        gateway.wait()
        with pytest.raises(ConfigurationError, match="does not run any more"):
            MemoryManager()
    file = home.path / "client.json"
    written = json.loads(file.read_text(encoding="utf-8")) | {"pid": os.getpid()}
    file.write_text(json.dumps(written), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="does not run any more"):
        MemoryManager()


@each_case("text", ["", "{}", '{"url": "http://x"}', '{"url": "nowhere", "key": "k"}', "[]"])
def test_access_that_says_nothing_is_an_error_of_ours(home: Home, text: str) -> None:
    (home.path / "client.json").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"client\.json"):
        MemoryManager()


@each_case(
    ("name", "instead"),
    [("storage_dir", "RAGPP_HOME"), ("embedding_service", "EMBEDDING_MODEL"), ("event_store", "/v1/events")],
)
def test_what_the_servers_have_is_refused_with_what_takes_its_place(name: str, instead: str, home: Home) -> None:
    with pytest.raises(ConfigurationError, match=name) as caught:
        MemoryManager(**{name: "outputs/memory"})  # type: ignore[arg-type]  # on purpose
    assert any(instead in one for one in caught.value.suggestions)
    assert home.url()


def test_a_folder_given_in_its_place_as_document_002_has_it_is_told_and_not_taken_for_something_else() -> None:
    with pytest.raises(ConfigurationError, match="storage_dir"):
        MemoryManager("outputs/memory")


def test_a_setting_of_the_servers_is_not_silently_ignored(home: Home) -> None:
    with pytest.raises(ConfigurationError, match="embedding_model") as caught:
        MemoryManager(config=MemoryConfig(embedding_model="text-embedding-3-small"))
    assert "EMBEDDING_MODEL" in caught.value.suggestions[0]
    assert MemoryManager(config=MemoryConfig(default_k=7)).config.default_k == 7
    assert home.url()


async def test_content_over_the_configured_size_is_refused_before_anything_is_sent(home: Home) -> None:
    manager = MemoryManager(config=MemoryConfig(max_resource_size=10))
    with pytest.raises(InvalidInput, match="11 characters"):
        await manager.store_resource("x" * 11, "document")
    with pytest.raises(ValueError, match="between 0 and 1"):
        await manager.retrieve("anything", escalation_threshold=1.5)
    await manager.aclose()
    assert home.url()


def test_names_and_defaults_are_those_of_the_document() -> None:
    config = MemoryConfig().model_dump(mode="json")
    assert config == {
        "storage_dir": "outputs/memory",
        "embedding_model": "text-embedding-3-small",
        "embedding_dimension": 1536,
        "extraction_model": "anthropic:claude-sonnet-4-20250514",
        "consolidation_model": "anthropic:claude-sonnet-4-20250514",
        "max_resource_size": 1_000_000,
        "default_k": 5,
        "escalation_threshold": 0.6,
        "consolidation_interval": 10,
        "retention_days": 90,
    }
    assert MemoryRetryConfig().model_dump() == {
        "embedding_max_retries": 3,
        "embedding_backoff_base": 1.0,
        "embedding_backoff_max": 30.0,
        "extraction_max_retries": 2,
        "extraction_backoff_base": 2.0,
        "consolidation_max_retries": 2,
        "consolidation_backoff_base": 2.0,
        "retrieval_max_retries": 2,
        "retrieval_backoff_base": 1.0,
    }


LOADED = """
import sys
import ragpp
before = set(sys.modules)
from ragpp import MemoryManager
print(*{name.partition(".")[0] for name in before}, "|", *{name.partition(".")[0] for name in sys.modules})
"""
HEAVY = frozenset(
    {"asyncpg", "celery", "fastapi", "httpx", "neo4j", "numpy", "onnxruntime", "pydantic", "redis", "spacy"}
)


def test_importing_ragpp_imports_nothing_and_the_manager_only_what_a_client_needs() -> None:
    """In a process of its own, which has loaded nothing else."""
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, env=os.environ)
    before, _, after = done.stdout.partition("|")
    assert HEAVY.isdisjoint(before.split())
    assert HEAVY & set(after.split()) == {"httpx", "pydantic"}


def test_a_name_that_ragpp_has_not_is_told_as_python_does() -> None:
    with pytest.raises(ImportError, match="MemoryManger"):
        exec("from ragpp import MemoryManger", {})  # noqa: S102 - the statement is what is tested


def test_what_is_tried_again_is_set_by_the_servers_with_the_documents_defaults() -> None:
    settings: dict[str, type[BaseModel]] = {"EMBEDDING_": EmbeddingSettings, "LLM_": LanguageModelSettings}
    in_force = {
        f"{prefix}{name}".upper(): field.default
        for prefix, group in settings.items()
        for name, field in group.model_fields.items()
    }
    config = MemoryRetryConfig()
    assert set(MemoryRetryConfig.SET_BY) == set(MemoryRetryConfig.model_fields)
    for name, variable in MemoryRetryConfig.SET_BY.items():
        assert in_force[variable] == getattr(config, name), variable
