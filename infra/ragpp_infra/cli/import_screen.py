"""The screen of `ragpp import`: what was found in a file, what is left out of it, and what became of the rest."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pydantic import JsonValue
from rich.text import Text

from ragpp.errors.problems import printable
from ragpp_infra.cli.console import safe
from ragpp_infra.cli.import_lines import Lines
from ragpp_infra.cli.ingest import IngestReport
from ragpp_infra.cli.render import count
from ragpp_infra.importing.dating import Dated
from ragpp_infra.importing.reading import TITLES, Counted, Unread, counted

_TAKEN: Final = "each gets that of the nearest message, else of its conversation"


@dataclass(frozen=True)
class Screen:
    """A file that was read. `file`: as it was given; `notes`: how it was read."""

    file: str
    dated: Dated
    lines: Lines
    notes: Sequence[str]

    def found(self, *, dry: bool) -> Iterator[Text]:
        """The messages that are stored, by role and time, and how times were found for what has none."""
        export = self.dated.export
        sessions = len({line.session_id for line in self.lines.good})
        yield safe(f"{self.file}: {TITLES[export.kind]}")
        roles = ", ".join(f"{role} {number:,}" for role, number in self._roles().items())
        said = ", ".join((count(sessions, "conversation"), count(len(self.lines.good), "message")))
        yield safe(f"  {'would store' if dry else 'to store'}: {said}{f' ({roles})' if roles else ''}")
        first, last = self._span()
        if first is not None and last is not None:
            yield safe(f"  said from {first:%Y-%m-%d %H:%M} to {last:%Y-%m-%d %H:%M} {last:%Z}")
        for note in self.notes:
            yield safe(f"  {note}")
        if self.dated.missing:
            yield safe(f"  {len(self.dated.missing):,} without a time: {_TAKEN}", "yellow")
        if self.dated.misread:
            one = self.dated.misread[0]
            told = f"{len(self.dated.misread):,} with a time that is not understood, such as {one.misread!r}"
            yield safe(f"  {told} ({printable(one.place)}): {_TAKEN}", "yellow")

    def left_out(self, unread: Sequence[Unread]) -> Iterator[Text]:
        """All that is not stored, by reason, with the first places."""
        found = counted(unread)
        for failed, heading in ((True, "not read"), (False, "left out")):
            reasons = [one for one in found if one.failed is failed]
            if reasons:
                yield safe(f"  {heading}:", "yellow" if failed else "")
            for one in reasons:
                yield safe(f"    {one.count:>6,}  {one.reason}")
                yield safe(f"            {_places(one)}", "dim")

    def stored(self, report: IngestReport, refused: int, seconds: float) -> Text:
        """How many were stored, and how fast."""
        parts = [f"{report.stored:,} stored"]
        parts += [f"{report.duplicates:,} known already"] if report.duplicates else []
        parts += [f"{report.forgotten:,} forgotten before"] if report.forgotten else []
        parts += [f"{report.redactions} secrets or personal data taken out"] if report.redactions else []
        parts += [f"{refused:,} refused"] if refused else []
        rate = report.acknowledged / seconds if seconds > 0 else 0.0
        return safe(f"{', '.join(parts)} in {seconds:.1f} s ({rate:,.0f} messages/s)")

    def as_json(self, unread: Sequence[Unread]) -> dict[str, JsonValue]:
        """The same as a document."""
        first, last = self._span()
        return {
            "file": self.file,
            "kind": self.dated.export.kind,
            "conversations": len({line.session_id for line in self.lines.good}),
            "messages": len(self.lines.good),
            "roles": {str(role): number for role, number in self._roles().items()},
            "from": first.isoformat() if first else None,
            "to": last.isoformat() if last else None,
            "notes": list(self.notes),
            "without_a_time": len(self.dated.missing),
            "time_not_understood": len(self.dated.misread),
            "left_out": [
                {"reason": one.reason, "count": one.count, "places": list(one.places), "failed": one.failed}
                for one in counted(unread)
            ],
        }

    def _roles(self) -> Counter[str]:
        return Counter(line.message.role for line in self.lines.good)

    def _span(self) -> tuple[datetime | None, datetime | None]:
        times = [time for line in self.lines.good if (time := line.message.occurred_at) is not None]
        return min(times, default=None), max(times, default=None)


def _places(one: Counted) -> str:
    more = one.count - len(one.places)
    return "; ".join(one.places) + (f"; and {more:,} more" if more else "")
