"""Writes of a time when the gateway was away: kept in a folder, without secrets, until they can be delivered."""

import logging
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

from pydantic import ValidationError

from ragpp.api import StoredMessage, StoreRequest, StoreResponse
from ragpp.clock import Clock, system_clock
from ragpp.redacting import Redaction
from ragpp.redaction import SECRETS

MOST_WRITES: Final = 10_000
MOST_BYTES: Final = 20_000_000
_log = logging.getLogger(__name__)


class Outbox:
    """A folder of mode 0700 with a file of mode 0600 for each write; several programs may share it.

    Secrets are taken out before anything is on the disk, as the gateway would. Each message has an id and the time it
    was said at, so delivering it twice is harmless. At most `most_writes` and `most_bytes` are kept.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        most_writes: int = MOST_WRITES,
        most_bytes: int = MOST_BYTES,
        clock: Clock = system_clock,
    ) -> None:
        self.folder = Path(folder).expanduser().absolute()
        self._most_writes, self._most_bytes, self._clock = most_writes, most_bytes, clock
        self._redaction = Redaction(SECRETS)

    def put(self, request: StoreRequest) -> StoreResponse | None:
        """Keep `request`, whose messages have ids; the answer has no receipt, and names the episodic tier as away.

        None where the outbox is full or cannot be written, which is logged.
        """
        now = self._clock()
        kept, redactions = self._without_secrets(
            request.model_copy(
                update={
                    "messages": tuple(
                        one if one.occurred_at else one.model_copy(update={"occurred_at": now})
                        for one in request.messages
                    )
                }
            )
        )
        try:
            if not self._write(kept.model_dump_json(exclude_unset=True).encode()):
                _log.warning("not remembered: the outbox %s is full", self.folder)
                return None
        except OSError as error:
            _log.warning("not remembered: the outbox %s cannot be written (%s)", self.folder, error.strerror)
            return None
        stored = tuple(
            StoredMessage(id=one.id or "", duplicate=False, redactions=count)
            for one, count in zip(kept.messages, redactions, strict=True)
        )
        return StoreResponse(receipt="", stored=stored, timestamp=now, tiers={"episodic": "unavailable"})

    def waiting(self) -> Iterator[tuple[Path, StoreRequest]]:
        """The kept writes, in the order they were said; a file that holds no write is removed, and that is logged."""
        for path in self._files():
            try:
                yield path, StoreRequest.model_validate_json(path.read_bytes())
            except FileNotFoundError:
                continue  # another program has delivered it
            except OSError as error:
                _log.warning("not delivered: %s in the outbox cannot be read (%s)", path.name, error.strerror)
            except ValidationError:
                self.drop(path, "holds no write")

    def others(self) -> list[Path]:
        """The folders beside this one in which something waits."""
        return sorted({one.parent for one in self.folder.parent.glob("*/*.json")} - {self.folder})

    def remove(self, path: Path) -> None:
        """One is delivered."""
        path.unlink(missing_ok=True)

    def drop(self, path: Path, why: str) -> None:
        """One will never be: remove it, and log that."""
        _log.warning("not remembered: %s in the outbox %s", path.name, why)
        self.remove(path)

    def keep(self, path: Path, why: str) -> None:
        """One waits for somebody to mend what it is refused for: log that."""
        _log.warning("not delivered, and kept: %s in the outbox %s", path.name, why)

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob("*.json"))

    def _sizes(self) -> Iterator[int]:
        for path in self._files():
            with suppress(FileNotFoundError):  # as above
                yield path.stat().st_size

    def _write(self, written: bytes) -> bool:
        """True where there was room for it."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        sizes = list(self._sizes())
        if len(sizes) >= self._most_writes or sum(sizes) + len(written) > self._most_bytes:
            return False
        name = f"{time.time_ns():020d}-{uuid4().hex[:8]}"
        draft = self.folder / f".{name}"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(written)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self.folder / f"{name}.json")
        finally:
            draft.unlink(missing_ok=True)  # where the disk is full
        return True

    def _without_secrets(self, request: StoreRequest) -> tuple[StoreRequest, list[int]]:
        """The request as it may be kept, and how many secrets each of its messages had."""
        messages, counts = [], []
        for one in request.messages:
            content = self._redaction.counted(one.content)
            name = self._redaction.counted(one.name) if one.name else None
            metadata, in_metadata = self._redaction.json(one.metadata)
            update: dict[str, object] = {"content": content.text}
            if name and name.count:
                update["name"] = name.text
            if in_metadata:
                update["metadata"] = metadata
            for field in ("message_type", "channel", "domain", "task_type"):
                label = getattr(one, field)
                if label and (safe := self._redaction.label(label)) != label:
                    update[field] = safe
            messages.append(one.model_copy(update=update))
            counts.append(content.count + in_metadata + (name.count if name else 0))
        return request.model_copy(update={"messages": tuple(messages)}), counts
