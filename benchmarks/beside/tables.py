"""The report as a table for the terminal and one for the documentation. Pure."""

from collections.abc import Sequence
from typing import Final

from rich.table import Table

from benchmarks.beside.results import CLIENTS, COSTED, Latency, Measured, Row

COLUMNS: Final = (
    "system",
    "writes/s",
    "cold p50 / p95",
    *(f"{clients} at once p50 / p95" for clients in CLIENTS),
    f"searches/s at {CLIENTS[-1]}",
    "core-ms",
    "R@1",
    "R@10",
    "MRR",
    "bytes a message",
)
LONGEST_FAILURE: Final = 300


def cells_of(row: Row) -> list[str]:
    """One line of the table, a cell a column of COLUMNS; of a system that did not run all but its name are empty."""
    title = f"{row.title} {row.version}".strip()
    if row.measured is None:
        return [title, *("–" for _ in COLUMNS[1:])]
    measured = row.measured
    quality = measured.quality
    return [
        title,
        f"{measured.writes_per_s:,.0f}",
        _pair(measured.cold),
        *(_pair(measured.with_clients(clients)) for clients in CLIENTS),
        f"{measured.with_clients(CLIENTS[-1]).per_s:,.0f}",
        f"{measured.with_clients(COSTED).cost_ms:.1f}",
        *(f"{100 * share:.1f}" for share in (quality.recall_1, quality.recall_10)),
        f"{quality.mrr:.3f}",
        f"{measured.bytes_a_message:,.0f}",
    ]


def notes_of(row: Row) -> list[str]:
    """Notes on a system, which the table leaves out: its settings, where its CPU time goes, and what it was given less
    of."""
    if row.measured is None:
        return [f"did not run: {' '.join(row.failed.split())[-LONGEST_FAILURE:]}"]
    measured = row.measured
    notes = [", ".join(f"{name}: {value}" for name, value in measured.settings.items())]
    cost = measured.with_clients(COSTED).core_ms
    notes.append("core-ms: " + ", ".join(f"{name} {value:.1f}" for name, value in cost.items()))
    notes.append(f"started anew in {measured.ready_s:.1f} s, first search {measured.cold.first_ms:.0f} ms")
    if measured.settled_s >= 1:
        notes.append(f"all could be found {measured.settled_s:.0f} s after the last write")
    return notes + _warnings(row, measured)


def _warnings(row: Row, measured: Measured) -> list[str]:
    warnings = []
    if measured.written_users < row.asked["users"]:
        warnings.append(f"{measured.written_users} of {row.asked['users']} users were written in time")
    if measured.embedded:
        warnings.append(f"{measured.embedded} texts were embedded while they were waited for")
    elsewhere = max(one.elsewhere for one in measured.warm)
    if elsewhere > 0.1:
        warnings.append(f"up to {elsewhere:.1f} cores were busy with other things: latencies are too high")
    return warnings


def table_of(rows: Sequence[Row]) -> Table:
    """The rows, for a terminal."""
    table = Table(title="beside the alternatives (ms, %)", title_justify="left")
    for column in COLUMNS:
        table.add_column(column, justify="left" if column == COLUMNS[0] else "right")
    for row in rows:
        table.add_row(*cells_of(row))
    return table


def markdown_of(rows: Sequence[Row]) -> str:
    """The same for the documentation, with the notes below."""
    lines = [
        f"| {' | '.join(COLUMNS)} |",
        f"|---|{'---:|' * (len(COLUMNS) - 1)}",
        *(f"| {' | '.join(cells_of(row))} |" for row in rows),
        "",
        *(f"- **{row.title}**: {'; '.join(notes_of(row))}." for row in rows),
    ]
    return "\n".join(lines)


def _pair(latency: Latency) -> str:
    return " / ".join(f"{ms:.2f}" if ms < 1 else f"{ms:.1f}" for ms in (latency.p50_ms, latency.p95_ms))
