"""The secrets of the containers: made once, private, and refused when they are weak."""

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from ragpp_infra.secret_file import SECRETS, WeakSecrets, check_secrets, read, weakness, write_new
from tests.support.command_line import Done
from tests.support.each import each_case

GOOD = "bH3qk0ZfV9x_wT27-pLmYc5R"


def test_init_writes_every_secret_for_its_owner_alone_and_no_two_alike(
    ragpp: Callable[..., Done], tmp_path: Path
) -> None:
    file = tmp_path / ".env"
    done = ragpp("init", "--file", str(file), home=tmp_path)
    assert done.returncode == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    made = read(file)
    assert made.keys() == SECRETS.keys()
    assert len(set(made.values())) == len(SECRETS)
    check_secrets(made)
    assert not any(secret in done.stdout + done.stderr for secret in made.values())


def test_a_file_that_is_there_is_left_as_it_is(ragpp: Callable[..., Done], tmp_path: Path) -> None:
    """The servers were made with its secrets: others would lock everybody out."""
    file = tmp_path / ".env"
    file.write_text("FORGETTING_KEY=mine\n", encoding="utf-8")
    done = ragpp("init", "--file", str(file), home=tmp_path)
    assert done.returncode == 1
    assert "--check" in done.stderr
    assert file.read_text(encoding="utf-8") == "FORGETTING_KEY=mine\n"


@each_case(
    ("secret", "why"),
    [
        ("", "is missing"),
        ("Tr0ub4dor&3", "has 11 characters"),
        (GOOD[:-1], "has 23 characters"),
        ("ab" * 20, "has 2 different characters"),
        ("changeme-bH3qk0ZfV9x_wT27", "contains 'changeme'"),
        ("ragpp" + GOOD, "contains 'ragpp'"),
        (GOOD + "@", "has characters beside letters"),
        (GOOD + "%40", "has characters beside letters"),
        ("-" + GOOD, "begins with -"),
    ],
)
def test_a_weak_secret_is_refused_by_its_name_and_not_repeated(
    ragpp: Callable[..., Done], tmp_path: Path, secret: str, why: str
) -> None:
    file = tmp_path / ".env"
    write_new(file)
    lines = file.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith("NEO4J_PASSWORD=")]
    file.write_text("\n".join([*kept, f"NEO4J_PASSWORD={secret}"]), encoding="utf-8")
    done = ragpp("init", "--check", "--file", str(file), "--json", home=tmp_path)
    assert done.returncode == 1
    problem = json.loads(done.stderr)
    assert problem["code"] == "MEM-036"
    assert problem["detail"].startswith(f"NEO4J_PASSWORD {why}")
    assert not secret or secret not in done.stderr


def test_one_secret_for_two_things_is_refused() -> None:
    """Whoever reads one container's would have the other's."""
    with pytest.raises(WeakSecrets, match="one is used twice; another is used twice"):
        check_secrets({"one": GOOD, "another": GOOD, "third": GOOD[::-1]})
    assert weakness(GOOD) is None


def test_secrets_that_others_can_read_are_refused(ragpp: Callable[..., Done], tmp_path: Path) -> None:
    file = tmp_path / ".env"
    write_new(file)
    assert ragpp("init", "--check", "--file", str(file), home=tmp_path).returncode == 0
    file.chmod(0o640)
    done = ragpp("init", "--check", "--file", str(file), home=tmp_path)
    assert done.returncode == 1
    assert "chmod 600" in done.stderr


def test_no_servers_are_made_ready_with_weak_passwords(
    ragpp: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses = {
        "POSTGRES_DSN": f"postgresql://ragpp_app:{GOOD}@nowhere:1/ragpp",
        "POSTGRES_OWNER_DSN": f"postgresql://ragpp_owner:{GOOD[::-1]}@nowhere:1/ragpp",
        "POSTGRES_RELAY_DSN": "postgresql://ragpp_relay:hunter2@nowhere:1/ragpp",
        "REDIS_URL": f"redis://ragpp:{GOOD}1@nowhere:1/0",
        "REDIS_REWRITE_URL": f"redis://ragpp_rewriter:{GOOD}2@nowhere:1/0",
        "NEO4J_URI": "bolt://nowhere:1",
        "NEO4J_PASSWORD": f"{GOOD}3",
        "PROVISION_POSTGRES_DSN": "postgresql://postgres:x@nowhere:1/postgres",
        "PROVISION_REDIS_URL": "redis://default:x@nowhere:1/0",
        "PROVISION_NEO4J_PASSWORD": "x",
    }
    for name, value in addresses.items():
        monkeypatch.setenv(name, value)
    done = ragpp("provision", "--patience", "0", home=tmp_path)
    assert done.returncode == 1
    assert "MEM-036" in done.stderr
    assert "POSTGRES_RELAY_DSN has 7 characters" in done.stderr
    assert "hunter2" not in done.stderr
    monkeypatch.setenv("POSTGRES_RELAY_DSN", f"postgresql://ragpp_relay:{GOOD}4@nowhere:1/ragpp")
    assert "MEM-035" in ragpp("provision", "--patience", "0", home=tmp_path).stderr


def test_a_demo_elsewhere_starts_nothing(ragpp: Callable[..., Done], tmp_path: Path) -> None:
    home = tmp_path / "none"
    assert ragpp("demo", "--url", "http://127.0.0.1:1", "--key", "k", home=home).returncode == 3
    assert ragpp("demo", "--url", "127.0.0.1:1", "--key", "k", home=home).returncode == 2
    assert ragpp("demo", "--url", "http://127.0.0.1:1", "--key", "k", "--serve", home=home).returncode == 2
    assert not home.exists()
