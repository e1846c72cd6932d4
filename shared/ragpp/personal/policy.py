"""A policy: what becomes of personal data that comes in."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from ragpp.errors import InvalidInput
from ragpp.personal.kinds import KINDS, PersonalKind

PersonalMode = Literal["keep", "mask", "refuse"]
"""`keep`: it is stored as it came. `mask`: a mask takes the place of each value. `refuse`: a write that has any is
refused whole."""
MODES: Final = frozenset(get_args(PersonalMode))


@dataclass(frozen=True, slots=True)
class PersonalPolicy:
    """The `mode`, and the `kinds` that it holds for: others are kept.

    `keeps_passwords`: passwords, PINs and the codes of doors, gates and alarms stay in the text, for a household that
    wants them remembered. Keys and tokens of programs, private keys and cards are taken out by every policy.

    Raises: InvalidInput for a mode or a kind that there is not, and for no kind.
    """

    mode: PersonalMode = "keep"
    kinds: frozenset[PersonalKind] = KINDS
    keeps_passwords: bool = False

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise InvalidInput(f"there is no mode {self.mode!r}, but {', '.join(get_args(PersonalMode))}")
        if not self.kinds:
            raise InvalidInput("no kind of personal data is named; to keep all, the mode is keep")
        if unknown := sorted(self.kinds - KINDS):
            raise InvalidInput(
                f"there is no kind {unknown[0]!r} of personal data, but {', '.join(get_args(PersonalKind))}"
            )


KEEP: Final = PersonalPolicy()
"""The policy where none is set."""
