"""The stack's folder: passwords stay private, one `up` at a time, ports stay the same while they can."""

import json
import os
import socket
import threading
from pathlib import Path

import pytest

from ragpp.client import AsyncMemoryClient
from ragpp.errors import ConfigurationError, StackError
from ragpp_infra.embedded import home as home_module
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.servers.neo4j import initial_access
from ragpp_infra.provisioning.redis import access_list


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.create()
    return made


def test_passwords_are_made_once_and_only_their_owner_reads_them(home: Home) -> None:
    assert home.ensure_passwords(initialised=False)
    first = home.passwords()
    assert not Home(home.path).ensure_passwords(initialised=True)
    assert Home(home.path).passwords() == first
    assert len({first.postgres_app, first.postgres_owner, first.postgres_relay, first.valkey, first.neo4j}) == 5
    assert {path.stat().st_mode & 0o077 for path in home.path.iterdir() if path.is_file()} == {0}
    assert first.neo4j not in repr(first)


def test_a_folder_of_an_earlier_version_gets_the_secrets_that_it_has_not_and_keeps_its_passwords(home: Home) -> None:
    home.ensure_passwords(initialised=False)
    secrets_file = home.path / "secrets.json"
    before = json.loads(secrets_file.read_text())
    assert before.pop("forgetting_key")
    assert before.pop("valkey_rewrite")
    secrets_file.write_text(json.dumps(before))
    assert (home.passwords().forgetting_key, home.passwords().valkey_rewrite) == ("", "")
    assert not home.ensure_passwords(initialised=True)
    made = home.passwords()
    assert len(made.forgetting_key) >= 32
    assert len(made.valkey_rewrite) >= 32
    assert (made.neo4j, made.postgres_app) == (before["neo4j"], before["postgres_app"])
    assert secrets_file.stat().st_mode & 0o077 == 0
    home.ensure_passwords(initialised=True)
    assert home.passwords() == made


def test_passwords_that_are_gone_are_not_made_anew_over_existing_data(home: Home) -> None:
    with pytest.raises(StackError, match=r"secrets\.json"):
        home.ensure_passwords(initialised=True)


def test_a_folder_where_nothing_was_started_says_so(home: Home) -> None:
    assert not home.is_initialised()
    with pytest.raises(StackError, match="no embedded stack"):
        home.passwords()
    with pytest.raises(StackError, match="never started"):
        home.port("neo4j")


def test_a_folder_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "something").touch()
    tmp_path.chmod(0o750)
    Home(tmp_path).create()
    assert tmp_path.stat().st_mode & 0o777 == 0o750


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StackError, match="file/home"):
        Home(tmp_path / "file" / "home").create()


def test_a_port_is_kept_until_someone_else_has_it(home: Home) -> None:
    port = home.choose_port("valkey")
    assert Home(home.path).choose_port("valkey") == port == home.port("valkey")
    with socket.socket() as stranger:
        stranger.bind(("127.0.0.1", port))
        stranger.listen()
        moved = home.choose_port("valkey")
    assert moved != port
    assert home.port("valkey") == moved


def test_one_holds_the_lock_at_a_time_and_gives_it_back(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home_module, "LOCK_PATIENCE_S", 0.0)
    with home.locked(), pytest.raises(StackError, match="another"), Home(home.path).locked():
        pass
    with home.locked():
        pass


def test_threads_remember_without_losing_each_others_values(home: Home) -> None:
    threads = [threading.Thread(target=home.remember, args=(f"name-{n}", str(n))) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [home.recall(f"name-{n}") for n in range(20)] == [str(n) for n in range(20)]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_stack_of_another_user_is_not_touched(home: Home) -> None:
    home.ensure_passwords(initialised=False)
    os.chown(home.path / "secrets.json", 12345, 12345)
    with pytest.raises(StackError, match="another user"):
        home.create()


def test_the_password_line_is_the_one_that_neo4j_admin_writes() -> None:
    salt = bytes.fromhex("728f242f5f9164b315be2fcc6f51439cd37475d314f0036688c15bd24afe45f1")
    digest = "a6559114b81e973ae323d2cf08445dc3e04fb20d4348399ee69b80d1866a732a"
    assert initial_access("geheim12345", salt) == f"neo4j:SHA-256,{digest},{salt.hex()},1024:\n"


def test_valkeys_access_list_holds_no_password_and_no_other_user() -> None:
    lines = access_list("a-password", "another").splitlines()
    assert lines[0] == "user default off"
    assert len(lines) == 3
    assert "a-password" not in "".join(lines)
    assert "another" not in "".join(lines)
    assert lines[2].endswith(" resetkeys resetchannels -@all +bgrewriteaof")
    assert " ~ragpp:* " in lines[1]
    assert "-@dangerous" in lines[1]


def test_the_stored_key_goes_to_no_address_but_that_of_its_own_stack(home: Home) -> None:
    home.remember("gateway_port", "8700")
    home.write_key("rp_its_own")
    for own in (None, "http://127.0.0.1:8700", "http://localhost:8700/"):
        assert isinstance(home.client(own), AsyncMemoryClient)
    with pytest.raises(ConfigurationError, match="no API key for https://elsewhere"):
        home.client("https://elsewhere.example:8700")
    assert isinstance(home.client("https://elsewhere.example:8700", "rp_another"), AsyncMemoryClient)
