"""A backup's description of itself, in its last member."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError

from ragpp_infra.backup.errors import BadBackup

FORMAT: Final = 1
_CHECKED: Final = b"ragpp backup: is this the key?"


class _Facts(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PartFacts(_Facts):
    """One part, before compression. `rows`: of a table, or lines."""

    rows: int
    bytes: int
    pieces: int
    sha256: str


class Table(_Facts):
    """A table: its columns with their types, in the order in which they are copied, without generated ones."""

    columns: dict[str, str]


class Sequence(_Facts):
    """A sequence as it was when its tables were copied, or later."""

    last_value: int
    is_called: bool


class Manifest(_Facts):
    """`moment`: of the snapshot of PostgreSQL. `since`: from then on something may have been forgotten that
    a part of it still has. `until`: to when the forgettings in it reach. `key_check`: see `key_check`.
    `lineage`: of the stores that it is of (`sources`), None where they had none yet. `migrations`: checksums by
    component and version, the graph's as `graph`."""

    format: int
    ragpp: str
    since: datetime
    moment: datetime
    until: datetime
    key_check: str
    lineage: str | None = None
    migrations: dict[str, dict[int, str]]
    tables: dict[str, Table]
    sequences: dict[str, Sequence]
    parts: dict[str, PartFacts]

    def text(self) -> str:
        """As it is written."""
        return json.dumps(self.model_dump(mode="json"), indent=1)

    def rows(self) -> Mapping[str, int]:
        """How much of everything there is, by part."""
        return {name: part.rows for name, part in self.parts.items()}


def manifest_from(content: bytes) -> Manifest:
    """Raises BadBackup for what is none of this format."""
    try:
        manifest = Manifest.model_validate_json(content)
    except ValidationError as error:
        raise BadBackup(f"its manifest cannot be read: {error.error_count()} fields are wrong") from error
    return manifest


def key_check(key: SecretStr) -> str:
    """By this a FORGETTING_KEY is told from another one: a keyed hash of a sentence that is the same everywhere."""
    return hmac.new(key.get_secret_value().encode(), _CHECKED, hashlib.sha256).hexdigest()[:32]
