"""Which relationships end which others: policy, pure, the one place that says so.

A relationship ends when a message says so ("I left Porto"), and, where a person has but one of its kind at a time, when
a later message names another:

- LIVES_IN: a move. Places contain one another ("I live in Portugal", said by somebody who lives in Lisbon), so a
  country and a place that is none end one another only where the later sentence speaks of a move.
- WORKS_AT, STUDIES_AT: many people have two, and one employer has many names ("the hospital", "Green Valley"):
  another ends the first only where its sentence speaks of beginning there ("started at", "my new job at").

Nothing else is exclusive. Marriages and partnerships are at most one at a time as a rule, but the same person goes by
several names ("Ann", "Annie"), which would divorce more couples than real divorces do: they end when somebody says so.
A person has many friends, siblings, possessions, memberships and visits.

Two that one and the same message has asserted ("I live in Lisbon, Portugal") hold side by side and never end one
another.
"""

import re
from collections.abc import Iterable
from typing import Final

from ragpp.extraction.naming.places import COUNTRIES
from ragpp_services.semantic.evidence.keys import name_key
from ragpp_services.semantic.records import Statement

_MOVES: Final = re.compile(r"\b(?:mov(?:ed?|ing)|relocat|emigrat|immigrat|settl(?:ed|ing)\b)", re.IGNORECASE)
_BEGINS: Final = re.compile(
    r"\b(?:start(?:s|ed|ing)?|began|begun|beginning|join(?:s|ed|ing)?|hired|accepted|landed|switch(?:ed|ing)?|transferr|"
    r"enrolled|recruited|new\s+(?:job|position|role|post|gig|employer|school|university|college)|moved|left\s)",
    re.IGNORECASE,
)
_RESIDENCE: Final = "LIVES_IN"

EXCLUSIVE: Final = frozenset({_RESIDENCE, "WORKS_AT", "STUDIES_AT"})
"""Kinds of which a later one may end an earlier one of the same source."""

SYMMETRIC: Final = frozenset(
    {
        "SPOUSE_OF",
        "MARRIED_TO",
        "PARTNER_OF",
        "FRIEND_OF",
        "COLLEAGUE_OF",
        "NEIGHBOUR_OF",
        "FLATMATE_OF",
        "CLASSMATE_OF",
    }
)
"""Kinds that say the same from either end: "I am no longer married to Ann" ends "Ann SPOUSE_OF Noor" as well."""

_COUNTRY_KEYS: Final = frozenset(name_key(name) for name in COUNTRIES)


def is_country(names: Iterable[str]) -> bool:
    """True where a place of these names is a country or a continent."""
    return any(name_key(name).removeprefix("the ") in _COUNTRY_KEYS for name in names)


def supersedes(type_name: str, names: frozenset[str], later: Statement, later_names: frozenset[str]) -> bool:
    """True where `later` ends an earlier relationship of the same source and exclusive type to the target of these
    `names`. `later_names`: of its own target."""
    if type_name == _RESIDENCE:
        return is_country(names) == is_country(later_names) or _MOVES.search(later.context) is not None
    return _BEGINS.search(later.context) is not None
