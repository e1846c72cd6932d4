"""The tables of `ragpp inspect`, one for each kind of thing that is known."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

from rich.table import Table
from rich.text import Text

from ragpp.learned import Finding, Reflection
from ragpp.models import DateSpan, Entity, Precision, Preference, Relationship, Rule
from ragpp.preference_values import shown
from ragpp_infra.cli.console import out, safe

Ids = Mapping[str, str]
"""As much of each id as tells it from the others."""
NO_IDS: Final[Ids] = MappingProxyType({})


def _id(one: str, ids: Ids) -> Text:
    return safe(ids.get(one, one), "dim")


_NUMBERS: Final = frozenset({"mentions", "conf.", "support", "n", "read", "rel.", "pref.", "prio."})
_DAYS: Final = frozenset({"first", "last", "from", "to", "since", "until", "date"})
_FORMS: Final[Mapping[Precision, str]] = {
    "minute": "%Y-%m-%d %H:%M",
    "hour": "%Y-%m-%d %H:%M",
    "day": "%Y-%m-%d",
    "month": "%Y-%m",
    "year": "%Y",
}
NARROW: Final = 100
"""Columns of a terminal below which a table shows what tells most, and leaves room for its texts."""


def _table(columns: Sequence[str], rows: Sequence[Sequence[str | Text]], spare: Collection[str] = ()) -> Table:
    """Without the columns that are empty in every row, and on a narrow terminal without those that can be spared."""
    shown = [
        place
        for place, column in enumerate(columns)
        if any(row[place] for row in rows) and not (column in spare and out.width < NARROW)
    ]
    table = Table(box=None, pad_edge=False, padding=(0, 2 if out.width >= NARROW else 1, 0, 0), header_style="dim")
    for column in (columns[place] for place in shown):
        whole = column in _NUMBERS or column in _DAYS or column == "id"
        table.add_column(column, justify="right" if column in _NUMBERS else "left", no_wrap=whole)
    for row in rows:
        table.add_row(*(row[place] for place in shown))
    return table


def entities(these: Sequence[Entity], ids: Ids = NO_IDS) -> Table:
    """By name and label, with how often they are mentioned."""
    rows: list[Sequence[str | Text]] = []
    for one in these:
        also = safe(", ".join(one.aliases[:5]), "dim")
        rows.append(
            (
                _id(one.id, ids),
                safe(one.name),
                one.label,
                str(one.mentions),
                _day(one.first_mention),
                _day(one.last_mention),
                also,
            )
        )
    return _table(("id", "name", "label", "mentions", "first", "last", "also called"), rows, spare=("first",))


def relationships(these: Sequence[Relationship], ids: Ids = NO_IDS) -> Table:
    """Who has to do with whom, how surely, and when."""
    rows = [
        (
            _id(one.id, ids),
            safe(f"{one.source} {one.type} {one.target}"),
            f"{one.confidence:.2f}",
            f"{one.weight:g}",
            _day(one.valid_from),
            _day(one.valid_to),
            state(one),
            safe(_short(one.context), "dim"),
        )
        for one in these
    ]
    return _table(("id", "relationship", "conf.", "support", "from", "to", "state", "said"), rows, spare=("support",))


def state(one: Relationship) -> str:
    """Why it does not hold any more, or what a person said of it; empty for what holds."""
    if one.verdict == "rejected":
        return "rejected"
    if one.valid_to is not None:
        return "ended"
    if one.archived:
        return "archived"
    return one.verdict or ""


def preferences(these: Sequence[Preference], ids: Ids = NO_IDS) -> Table:
    """A user's preferences, how sure each is, and how it is known."""
    rows: list[Sequence[str | Text]] = []
    for one in these:
        how = one.verdict or ("stated" if one.stated else "inferred")
        rows.append(
            (
                _id(one.id, ids),
                safe(one.category),
                safe(one.key),
                safe(_short(shown(one.value))),
                f"{one.confidence:.2f}",
                str(len(one.sources)),
                _day(one.valid_from),
                how,
            )
        )
    return _table(
        ("id", "category", "key", "value", "conf.", "support", "since", "how"), rows, spare=("support", "since")
    )


def rules(these: Sequence[Rule], ids: Ids = NO_IDS) -> Table:
    """A user's rules: what is to be done when."""
    rows: list[Sequence[str | Text]] = []
    for one in these:
        why = "proposed" if one.proposed else f"aside: {one.aside}" if one.aside else "inactive"
        state = "active" if one.active else safe(why, "yellow")
        triggers = safe(", ".join(one.triggers) or "always", "dim")
        rows.append((_id(one.id, ids), safe(one.text), triggers, str(one.priority), str(len(one.sources)), state))
    return _table(("id", "rule", "when", "prio.", "support", "state"), rows, spare=("prio.", "support"))


def findings(these: Sequence[Finding], ids: Ids = NO_IDS) -> Table:
    """Findings, how sure they are, of when they speak, when they were last said, and since when they hold no more."""
    rows: list[Sequence[str | Text]] = []
    for one in these:
        text = safe(_short(one.text, 160), "" if one.valid_to is None else "dim")
        sure, last, until = f"{one.confidence:.2f}", _day(one.last_at), _day(one.valid_to)
        times = [_time(one.when), f"until {until}" if until and out.width < NARROW else ""]
        time = "\n".join(filter(None, times))
        rows.append((_id(one.id, ids), one.finding, text, sure, str(one.support), time, last, until))
    spare = ("support", "last", "until")
    return _table(("id", "kind", "finding", "conf.", "support", "time", "last", "until"), rows, spare)


def reflections(these: Sequence[Reflection]) -> Table:
    """The reports of days."""
    rows: list[Sequence[str | Text]] = []
    for one in these:
        themes = "; ".join(f"{theme.text} {theme.share:.0%}" for theme in one.themes)
        rows.append(
            (
                one.date.isoformat(),
                one.kind,
                str(one.interactions_analyzed),
                safe(themes),
                str(one.relationships_updated),
                str(one.preferences_updated),
                safe("; ".join(one.new_rules) or str(one.new_rules_learned)),
                safe(", ".join(one.failed), "red"),
            )
        )
    return _table(
        ("date", "kind", "read", "themes", "rel.", "pref.", "new rules", "failed"), rows, spare=("rel.", "pref.")
    )


def _time(when: DateSpan | None) -> str:
    """When something is, as exactly as it was said."""
    if when is None:
        return ""
    form = _FORMS.get(when.precision)
    return f"{_day(when.start)} ({when.precision})" if form is None else when.start.astimezone(UTC).strftime(form)


def _day(moment: datetime | None) -> str:
    return "" if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%d")


def _short(text: str, most: int = 80) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
