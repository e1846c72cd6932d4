"""How fast what is known fades, by kind of relationship: the one table, with its reasons. Pure.

Document 004 has one rate, 0.95 a day (a half-life of 13.5 days). It holds for what passes: moods, plans, interests,
what was read, watched, bought or visited. What is in the table stays true without being said again, and halves in a
year or more; so does a kind that whoever states it calls lasting.
"""

from typing import Final, NamedTuple

from ragpp.text.kinship import CANONICAL, is_family, relationship_type

RELATED_TO: Final = "RELATED_TO"
"""The kind that says no more than that two things were mentioned together, which is learned no more: what there is of
it is shown to nobody as what is known, and fades."""
FADES: Final = 0.95
"""A day, of what is in no row of the table. Source: document 004, `confidence_decay_rate`."""
LASTS: Final = 0.999
"""A day: half of it is left after 693 days."""
YEARLY: Final = 0.5 ** (1 / 365)
"""A day: half of it is left after a year."""


class Pace(NamedTuple):
    """A row of the table: how much of the confidence in these `kinds` a day leaves, in (0, 1), and why."""

    per_day: float
    kinds: frozenset[str]
    why: str


_KIN: Final = frozenset(relationship_type(kin) for kin in CANONICAL.values() if is_family(kin))
_TIES: Final = frozenset(relationship_type(kin) for kin in CANONICAL.values()) - _KIN - {"OWNS"}

PACES: Final = (
    Pace(LASTS, _KIN | {"SIBLING_OF", "MARRIED_TO"}, "kin stay kin, and a marriage ends when somebody says so"),
    Pace(LASTS, frozenset({"FROM", "SPEAKS", "STUDIED_AT"}), "where somebody is from and what they learned stays"),
    Pace(LASTS, frozenset({"LIVES_IN"}), "people move every few years, and the next home ends this one"),
    Pace(
        LASTS,
        frozenset({"WORKS_AT", "WORKS_AS", "TEACHES", "STUDIES_AT", "STUDIES"}),
        "work and study last for years, and nobody mentions them every week",
    ),
    Pace(LASTS, frozenset({"OWNS"}), "pets, instruments and cars stay until they are said to be gone"),
    Pace(
        YEARLY,
        _TIES | {"MEMBER_OF", "MANAGES", "REPORTS_TO", "WORKS_WITH", "KNOWS"},
        "friends, colleagues and bosses change, and silence does not end them",
    ),
    Pace(YEARLY, frozenset({"WORKS_ON"}), "a project is work: it takes months"),
    Pace(
        YEARLY,
        frozenset({"LIKES", "LOVES", "ENJOYS", "DISLIKES", "HATES", "PREFERS"}),
        "a taste changes slowly, and is said once",
    ),
    Pace(
        YEARLY,
        frozenset({"PLAYS", "PRACTISES", "LEARNS", "COLLECTS", "GROWS", "TAKES_PART_IN", "USES"}),
        "what somebody does again and again goes on without being said",
    ),
    Pace(
        YEARLY,
        frozenset({"SUFFERS_FROM", "ALLERGIC_TO", "TAKES"}),
        "an illness may pass; to forget an allergy costs more than to mention it once too often",
    ),
)
OTHER_TIES: Final = YEARLY
"""A day, of every other kind whose name ends in `_OF`: it says what somebody is to another, as the rows above do."""

RATES: Final = {kind: pace.per_day for pace in PACES for kind in pace.kinds}
"""Kind → how much a day leaves."""
LASTING: Final = frozenset(kind for kind, rate in RATES.items() if rate == LASTS)
"""Kinds that last without being said to."""


def rate_of(kind: str, *, lasting: bool, fades: float = FADES) -> float:
    """How much of the confidence in a relationship of that kind a day leaves, in (0, 1]. `lasting`: whoever said it
    called it so. `fades`: the rate of what is in no row."""
    if lasting:
        return LASTS
    return RATES.get(kind, OTHER_TIES if kind.endswith("_OF") else fades)


def holds(kind: str, *, lasting: bool) -> bool:
    """True where it stays true without being said again: it has a rate of its own."""
    return lasting or kind in RATES or kind.endswith("_OF")
