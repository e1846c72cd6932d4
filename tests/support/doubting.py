"""A reader of instructions that doubts some of them, whatever they say."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from ragpp.models import Interaction
from ragpp_services.workers.learning.instructions import Instruction, instructions_of
from ragpp_services.workers.stages import rules


def install_doubts(monkeypatch: pytest.MonkeyPatch, doubted: Callable[[Instruction], bool]) -> None:
    """Have the workers of this process read so from now on."""

    def read(items: Sequence[Interaction]) -> list[Instruction]:
        return [replace(one, plain=one.plain and not doubted(one)) for one in instructions_of(items)]

    monkeypatch.setattr(rules, "instructions_of", read)
