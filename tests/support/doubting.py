"""A reader of instructions that doubts some of them, whatever they say."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from ragpp.models import Interaction
from services.workers import rules
from services.workers.learning.instructions import Instruction, instructions_of


def install_doubts(monkeypatch: pytest.MonkeyPatch, doubted: Callable[[Instruction], bool]) -> None:
    """Have the workers of this process read so from now on."""

    def read(items: Sequence[Interaction]) -> list[Instruction]:
        return [replace(one, plain=one.plain and not doubted(one)) for one in instructions_of(items)]

    monkeypatch.setattr(rules, "instructions_of", read)
