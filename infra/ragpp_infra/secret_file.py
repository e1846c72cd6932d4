"""The file of secrets that containers are started with: made once, never overwritten, and told when it is weak."""

import os
import re
import secrets
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ragpp.errors import ConfigurationError, MemorySystemError

LEAST_CHARACTERS: Final = 24
LEAST_DIFFERENT: Final = 10
GENERATED_BYTES: Final = 32
SECRETS: Final[Mapping[str, str]] = {
    "POSTGRES_ADMIN_PASSWORD": "PostgreSQL's superuser; the provisioning alone uses it.",
    "POSTGRES_OWNER_PASSWORD": "The role that owns the tables: migrations and API keys.",
    "POSTGRES_APP_PASSWORD": "The role of the services; it sees one tenant at a time.",
    "POSTGRES_RELAY_PASSWORD": "The role of the workers; it sees the ledger alone.",
    "REDIS_ADMIN_PASSWORD": "Redis's administrator; the provisioning alone uses it.",
    "REDIS_APP_PASSWORD": "The account of the services and of Celery; it sees ragpp:* alone.",
    "REDIS_REWRITE_PASSWORD": "The account that has the append-only file rewritten and sees nothing.",
    "NEO4J_ADMIN_PASSWORD": "What Neo4j is started with the first time; good for nothing afterwards.",
    "NEO4J_PASSWORD": "Neo4j's from then on.",
    "TIER_CREDENTIAL": "Between gateway, workers and tiers.",
    "FORGETTING_KEY": "Marks of what was forgotten are keyed with it. Never change it, and keep it with your backups.",
}
"""The purpose of each secret, by its name; docker-compose.yml takes exactly these."""
KNOWN: Final = (
    "password",
    "passwort",
    "changeme",
    "secret",
    "letmein",
    "qwerty",
    "123456",
    "abcdef",
    "example",
    "ragpp",
)
SAFE: Final = re.compile(r"[A-Za-z0-9_-]*")
"""Characters that an address holds as they are: the secrets are put into addresses, where nobody quotes them."""
_LINE: Final = re.compile(r"(?:export )?([A-Z][A-Z0-9_]*)=(.*)")


class WeakSecrets(
    MemorySystemError,
    code="MEM-036",
    status=422,
    title="These secrets are not good enough",
    suggestions=(
        "Put a better one in its place: openssl rand -hex 32",
        "All of them anew, only where nothing was started with them yet: move the file away and run `ragpp init`.",
    ),
):
    """Secrets that are missing, short, guessable, used twice, or that no address can hold."""


def weakness(secret: str) -> str | None:
    """Why `secret` is not good enough; None when it is. It is not repeated."""
    if not secret:
        return "is missing"
    if len(secret) < LEAST_CHARACTERS:
        return f"has {len(secret)} characters; at least {LEAST_CHARACTERS}"
    if not SAFE.fullmatch(secret):
        return "has characters beside letters, digits, _ and -"
    if secret.startswith("-"):  # neo4j-admin, to which Neo4j's image gives its password, does
        return "begins with -, by which a program takes it for an option"
    if len(set(secret)) < LEAST_DIFFERENT:
        return f"has {len(set(secret))} different characters; at least {LEAST_DIFFERENT}"
    known = next((word for word in KNOWN if word in secret.lower()), None)
    return f"contains {known!r}" if known else None


def check_secrets(given: Mapping[str, str]) -> None:
    """Raises WeakSecrets that names each of `given`, secrets by name, that is not good enough."""
    wrong = {name: why for name, secret in given.items() if (why := weakness(secret))}
    times = Counter(given.values())
    wrong |= {name: "is used twice" for name, secret in given.items() if name not in wrong and times[secret] > 1}
    if wrong:
        raise WeakSecrets("; ".join(f"{name} {why}" for name, why in wrong.items()), details={"secrets": wrong})


def generated() -> str:
    """A new secret in which there is no weakness."""
    while weakness(made := secrets.token_hex(GENERATED_BYTES)):  # one in a hundred thousand has a known word in it
        continue
    return made


def write_new(path: Path) -> None:
    """Write new secrets to `path`, readable by its owner alone from the first moment.

    Raises ConfigurationError when there is a file already: what runs was started with its secrets.
    """
    lines = [
        "# The secrets of the containers, made by `ragpp init`; docker compose reads them from here.",
        "# Settings that are to differ from .env.example go to settings.env beside it.",
    ]
    for name, purpose in SECRETS.items():
        lines += ["", f"# {purpose}", f"{name}={generated()}"]
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise ConfigurationError(
            f"{path} is there already, and what runs may have been started with it: it is left as it is",
            suggestions=(
                "See whether it will do: ragpp init --check",
                "For new secrets, move it away first; what runs keeps its data only with those it was started with.",
            ),
        ) from error
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}") from error
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        os.fsync(file.fileno())


def read(path: Path) -> dict[str, str]:
    """Each of SECRETS as the file has it, empty where it has none. Raises ConfigurationError when it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        advice = ("Have it made: ragpp init",) if isinstance(error, FileNotFoundError) else ()
        raise ConfigurationError(f"{path} cannot be read: {error}", suggestions=advice) from error
    matches = (_LINE.fullmatch(line.strip()) for line in text.splitlines())
    assigned = {match[1]: match[2].strip().strip("\"'") for match in matches if match}
    return {name: assigned.get(name, "") for name in SECRETS}


def is_private(path: Path) -> bool:
    """True where nobody but its owner can read it."""
    return path.stat().st_mode & 0o077 == 0
