"""A user's profile, in one paragraph and by kind. No model writes it: the same memory gives the same words."""

import asyncio
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, get_args

from pydantic import JsonValue

from ragpp.api.people import Profile, ProfileItem
from ragpp.context.quoting import quoted
from ragpp.fading import RELATED_TO
from ragpp.fading import holds as holds_good
from ragpp.learned import Finding
from ragpp.models import Entity, FindingKind, Preference, Relationship, Rule, Scope
from ragpp.names import COLONS, INVISIBLE, SPEAKER, as_name, on_one_line
from ragpp.paging import PAGE, read_all
from ragpp.preference_values import shown, tells_nothing
from ragpp.text.kinship import CANONICAL, is_said_by_name
from ragpp.text.lexical import terms
from ragpp_services.gateway.parts import Parts

MOST: Final = 1_000
"""Items of each kind that are read."""
RELATIONSHIPS_TOLD: Final = 16
PREFERENCES_TOLD: Final = 10
RULES_TOLD: Final = 5
FINDINGS_TOLD: Final = 4
"""The most of each of the GROUPS of findings, the latest."""
GROUPS: Final[Mapping[str, frozenset[FindingKind]]] = {
    "Health": frozenset({"health"}),
    "Who they are": frozenset({"identity", "kin"}),
    "Home and work": frozenset({"residence", "work"}),
    "Lately": frozenset(get_args(FindingKind)) - {"health", "identity", "kin", "residence", "work", "instruction"},
}
"""The kinds of findings that are told together, in this order: what hurts to miss first. Instructions are told as
rules."""
COMMUNICATION: Final = "communication"
_TEXT_CHARS: Final = 160
_WORDS: Final = {"FROM": "is from", "SPOUSE_OF": "is married to", "MARRIED_TO": "is married to"}
_TIES: Final = {kin.replace("-", " ") for kin in CANONICAL.values()}
"""Ties between people, in the words of types: "sister" of SISTER_OF."""
_USER: Final = "the user"
_END: Final = re.compile(r"[.!?…]$")
_UNNAMED: Final = "unnamed"
"""The name for what is called something in which nothing shows."""


async def profile_of(parts: Parts, scope: Scope, *, least: float, sure: float, limit: int) -> Profile:
    """The profile of the view: of each kind `limit` at most that are not less confident than `least`: by what was said,
    since nothing is taken out by age alone. Raises TierUnavailable."""
    semantic, procedural = parts.semantic, parts.procedural
    entities, current, faded, preferences, rules, findings = await asyncio.gather(
        read_all(lambda cursor: semantic.list_entities(scope, None, cursor, PAGE), most=MOST),
        read_all(lambda cursor: semantic.list_relationships(scope, None, None, cursor, PAGE), most=MOST),
        read_all(lambda cursor: semantic.list_relationships(scope, None, None, cursor, PAGE, "archived"), most=MOST),
        read_all(lambda cursor: procedural.list_preferences(scope, None, cursor, PAGE), most=MOST),
        read_all(lambda cursor: procedural.list_rules(scope, True, cursor, PAGE), most=MOST),
        read_all(lambda cursor: procedural.list_findings(scope, None, None, cursor, PAGE), most=MOST),
    )
    held = sorted(
        (one for one in (*current, *faded) if one.believed >= least or holds(one)),
        key=lambda one: (not _is_sure(one, sure), -one.confidence, one.type, one.target, one.source),
    )
    liked = sorted(
        (one for one in preferences if one.confidence >= least and not tells_nothing(one.value)),
        key=lambda one: (-one.confidence, one.category, one.key),
    )
    found = [one for one in findings if one.confidence >= least and one.valid_to is None]
    named = sorted(entities, key=lambda one: (-one.mentions, one.name, one.id))
    return Profile(
        user_id=scope.user_id,
        text=paragraph(scope.user_id, held, liked, rules, found, sure=sure),
        entities=tuple(_entity(one) for one in named[:limit]),
        relationships=tuple(_relationship(one, sure) for one in held[:limit]),
        preferences=tuple(_preference(one, sure) for one in liked[:limit]),
        rules=tuple(_rule(one) for one in rules[:limit]),
        findings=tuple(_finding(one, sure) for one in found[:limit]),
    )


def paragraph(
    user_id: str,
    relationships: Sequence[Relationship],
    preferences: Sequence[Preference],
    rules: Sequence[Rule],
    findings: Sequence[Finding],
    *,
    sure: float,
) -> str:
    """The first of each, which are the surest, as sentences; of relationships and preferences only what is sure. It is
    put into prompts: names and values are data in it, on its one line, and begin nothing that reads as structure."""
    known = [one for one in relationships if _is_sure(one, sure) and _tells(one)][:RELATIONSHIPS_TOLD]
    asked = rules[:RULES_TOLD]
    liked = [one for one in preferences if one.confidence >= sure and not _is_told(one, asked)][:PREFERENCES_TOLD]
    told = _of_each(known)
    told += _grouped(findings, ("Health", "Who they are", "Home and work"))
    if liked:
        told.append(f"Preferences: {'; '.join(f'{_name(one.key)}: {_value(one.value)}' for one in liked)}.")
    if rules:
        told.append(f"Asked for: {' '.join(_sentence(one.text) for one in rules[:RULES_TOLD])}")
    told += _grouped(findings, ("Lately",))
    if told:
        return " ".join(" ".join(told).split())
    doubtful = len(relationships) + len(preferences)
    who = user_id if _name(user_id) == user_id else "this user"
    return f"Nothing is known of {who}" + (f" for sure; {doubtful} may be so." if doubtful else ".")


def _grouped(findings: Sequence[Finding], groups: Sequence[str]) -> list[str]:
    """A sentence for each of these GROUPS that has findings."""
    chosen = ((name, [one for one in findings if one.finding in GROUPS[name]][:FINDINGS_TOLD]) for name in groups)
    return [f"{name}: {'; '.join(quoted(_short(one.text)) for one in of)}." for name, of in chosen if of]


def _is_told(one: Preference, asked: Sequence[Rule]) -> bool:
    """True of a wish on how to answer that one of the rules says in full: of its words what a rule of its message has
    not is `always`."""
    if one.category != COMMUNICATION:
        return False
    wanted = set(terms(f"{one.key} {shown(one.value)}")) - set(terms("always"))
    return any(wanted <= set(terms(rule.text)) and not set(one.sources).isdisjoint(rule.sources) for rule in asked)


def holds(one: Relationship) -> bool:
    """True where it holds however long ago it was said: what does not pass by itself (`ragpp.fading`), and what a
    person confirmed."""
    return holds_good(one.type, lasting=one.lasting) or one.verdict == "confirmed"


def _tells(one: Relationship) -> bool:
    """True where it says more than that both were mentioned, and than the name of one of them."""
    return one.type != RELATED_TO and not is_said_by_name(one.source, one.type, one.target)


def _is_sure(one: Relationship, sure: float) -> bool:
    return one.confidence >= sure or holds(one)


def _of_each(relationships: Sequence[Relationship]) -> list[str]:
    """A sentence for each whom something is told of, the one of whom most is told first."""
    counts = Counter(one.source_id for one in relationships)
    told: dict[str, list[Relationship]] = {}
    for one in sorted(relationships, key=lambda one: (-counts[one.source_id], one.source, one.source_id)):
        told.setdefault(one.source_id, []).append(one)
    sentences = (f"{_who(of[0].source)} {_joined([_predicate(one) for one in of])}." for of in told.values())
    return [
        f"{sentence[0].upper()}{sentence[1:]}" if sentence.startswith(_USER) else sentence for sentence in sentences
    ]


def _predicate(one: Relationship) -> str:
    words, target = one.type.lower().replace("_", " "), _who(one.target)
    if one.type not in _WORDS and (tie := words.removesuffix(" of")) in _TIES:
        return f"is {target}'s {tie}"
    said = _WORDS.get(one.type) or (f"is {words}" if one.type.endswith("_OF") else words)
    return f"{said} {target}"


def _who(name: str) -> str:
    return _USER if name == SPEAKER else _name(name)


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _name(name: str) -> str:
    """`name` as it may stand in a sentence: as it is where nothing in it reads as structure."""
    line = on_one_line(name)
    if line == name == quoted(line) and not ("##" in line or INVISIBLE.search(line) or set(COLONS) & set(line)):
        return line
    return as_name(line) or _UNNAMED


def _value(value: JsonValue) -> str:
    return quoted(_short(shown(value)))


def _short(text: str) -> str:
    line = on_one_line(text)
    line = line if len(line) <= _TEXT_CHARS else f"{line[: _TEXT_CHARS - 1]}…"
    return line.rstrip(".;")


def _sentence(text: str) -> str:
    line = quoted(_short(text))
    return line if _END.search(line) else f"{line}."


def _entity(one: Entity) -> ProfileItem:
    return ProfileItem(
        id=one.id,
        kind="entity",
        text=f"{_name(one.name)} ({one.label})",
        confidence=1.0,
        sure=True,
        since=one.first_mention,
    )


def _relationship(one: Relationship, sure: float) -> ProfileItem:
    return ProfileItem(
        id=one.id,
        kind="relationship",
        text=f"{_name(one.source)} {one.type} {_name(one.target)}",
        confidence=round(one.confidence, 4),
        sure=_is_sure(one, sure),
        since=one.valid_from,
    )


def _preference(one: Preference, sure: float) -> ProfileItem:
    return ProfileItem(
        id=one.id,
        kind="preference",
        text=f"{_name(one.category)} {_name(one.key)}: {quoted(on_one_line(shown(one.value)))}",
        confidence=one.confidence,
        sure=one.confidence >= sure,
        since=one.valid_from,
    )


def _rule(one: Rule) -> ProfileItem:
    text = quoted(on_one_line(one.text))
    return ProfileItem(id=one.id, kind="rule", text=text, confidence=1.0, sure=True, since=one.occurred_at)


def _finding(one: Finding, sure: float) -> ProfileItem:
    return ProfileItem(
        id=one.id,
        kind="finding",
        text=f"{one.finding}: {quoted(on_one_line(one.text))}",
        confidence=one.confidence,
        sure=one.confidence >= sure,
        since=one.first_at,
    )
