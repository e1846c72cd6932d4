"""The tests that are left out where the stores are in containers, from a list that says why."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LIST: Final = Path(__file__).parents[1] / "containers_left_out.toml"


@dataclass(frozen=True)
class LeftOut:
    """`tests`: a file, or one test of it with all its cases, as pytest names them."""

    tests: str
    why: str

    def covers(self, node_id: str) -> bool:
        """True where the test of that id is one of them."""
        return node_id == self.tests or node_id.startswith((f"{self.tests}::", f"{self.tests}["))


def left_out() -> list[LeftOut]:
    """All of the list; TypeError where an entry has anything but `tests` and `why`."""
    return [LeftOut(**entry) for entry in tomllib.loads(LIST.read_text(encoding="utf-8"))["left_out"]]
