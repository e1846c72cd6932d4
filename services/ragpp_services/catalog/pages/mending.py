"""A page's lines as they are left when resources are gone: a line without what rested on them alone, an earlier fact
that is no longer contradicted. Pure."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from ragpp_services.catalog.pages.inline import Footnote, footnotes_in

_PREFIX: Final = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+)?")
_BETWEEN_NOTES: Final = re.compile(r"[\s,;]*")
_STRUCK: Final = re.compile(
    r"(?P<mark>[-*+] )~~(?P<fact>.*)~~ "
    r"\((?P<since>\d{4}-\d\d-\d\d), until (?P<until>\d{4}-\d\d-\d\d)\)(?P<notes>[^()]*)"
)


@dataclass(frozen=True, slots=True)
class Notes:
    """A page's footnotes: those that are `defined`, and of these those of which all is `gone`. Labels are folded."""

    defined: Collection[str]
    gone: Collection[str]

    def all_gone(self, notes: Sequence[Footnote]) -> bool:
        """True where `notes` lead to something, and all of it is gone."""
        cited = [note.label for note in notes if note.label in self.defined]
        return bool(cited) and all(label in self.gone for label in cited)

    def lead(self, note: Footnote) -> bool:
        """True where `note` still leads to something."""
        return note.label in self.defined and note.label not in self.gone


def mended(text: str, notes: Notes) -> str | None:
    """A line or paragraph as it is left: all of it without a footnote, None where all footnotes lead to what is gone.
    Of a text with footnotes in its midst, what stands before some goes with them. Those that lead nowhere go."""
    found = footnotes_in(text)
    if notes.all_gone(found):
        return None
    start = _PREFIX.match(text)
    prefix = start[0] if start else ""
    parts: list[str] = []
    begin = len(prefix)
    for group in _groups(text, found):
        if notes.all_gone(group):
            parts += [""] if not parts else []
        else:
            parts.append(_with_notes(text, begin, group, notes))
        begin = group[-1].end
    parts.append(text[begin:])
    if parts[0] == "" and found:
        return prefix + "".join(parts).lstrip(" \t\n,;.:")
    return prefix + "".join(parts)


def _groups(text: str, notes: Sequence[Footnote]) -> list[list[Footnote]]:
    """Footnotes that stand side by side."""
    groups: list[list[Footnote]] = []
    for note in notes:
        if groups and _BETWEEN_NOTES.fullmatch(text, groups[-1][-1].end, note.start):
            groups[-1].append(note)
        else:
            groups.append([note])
    return groups


def _with_notes(text: str, begin: int, group: Sequence[Footnote], notes: Notes) -> str:
    """The part of `text` from `begin` to the end of the group, with those of its notes that lead somewhere."""
    shown = text[begin : group[0].start]
    kept = [text[note.start : note.end] for note in group if notes.lead(note)]
    return shown + " ".join(kept) if kept else shown.rstrip()


class _Struck(NamedTuple):
    """A fact that is struck out. `stays`: whether its line is left; `until`: a day, as it is written."""

    stays: bool
    until: str


def no_longer_struck(lines: Sequence[tuple[str, str | None]]) -> list[str | None]:
    """The lines of a page, each as it was and what is left of it or None, with struck facts as they are once what
    replaced them is gone: they hold again, or did until the next one that is left.

    What replaced a struck fact stands above it, and was learned on the day that this one held until.
    """
    left = [line for _, line in lines]
    head = 0
    while head < len(lines):
        end = head + 1
        while end < len(lines) and _STRUCK.fullmatch(lines[end][0]):
            end += 1
        if not _STRUCK.fullmatch(lines[head][0]) and None in left[head:end]:
            left[head + 1 : end] = _reconsidered(lines[head + 1 : end], head_left=left[head] is not None)
        head = end
    return left


def _reconsidered(lines: Sequence[tuple[str, str | None]], *, head_left: bool) -> list[str | None]:
    above: dict[str, _Struck] = {}
    left: list[str | None] = []
    for was, line in lines:
        dates = _STRUCK.fullmatch(was)
        found = _STRUCK.fullmatch(line) if line is not None else None
        if dates is None or (line is not None and found is None):
            left.append(line)
            continue
        until, holds = _until(dates["until"], above, head_left=head_left)
        above[dates["since"]] = _Struck(found is not None, until)
        if found is None:
            left.append(None)
        elif holds:
            left.append(f"{found['mark']}{found['fact']}{found['notes']}")
        else:
            left.append(f"{found['mark']}~~{found['fact']}~~ ({found['since']}, until {until}){found['notes']}")
    return left


def _until(until: str, above: Mapping[str, _Struck], *, head_left: bool) -> tuple[str, bool]:
    """Until when a fact held that was replaced on the day `until`, by their head or by one of those `above`, which are
    known by the day they were learned on; and whether it holds now."""
    replaced = above.get(until)
    if replaced is not None and not replaced.stays:
        until = replaced.until
        replaced = above.get(until)
    return until, not head_left and (replaced is None or not replaced.stays)
