"""A recall's answer as a notebook shows it: the context, and why it is this one. All of it is escaped."""

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragpp.api.recalling import RecalledMemory, RecallResponse

_HEAD = "<tr><th>memory</th><th>tier</th><th>said by</th><th>when</th><th>score</th><th>in the context</th></tr>"


def shown(answer: "RecallResponse") -> str:
    """The context, then the ranking as a table; above them what was found at all, and what was missing."""
    missing = [f"{name}: {tier.status}" for name, tier in answer.tiers.items() if tier.status not in {"ok", "skipped"}]
    told = [
        f"relevance: {answer.relevance or 'not told'}",
        f"{answer.tokens} tokens",
        f"{answer.status} in {answer.elapsed_ms:.0f} ms",
        *missing,
    ]
    rows = "".join(map(_row, answer.memories))
    number = len(answer.memories)
    count = f"{number} {'memory' if number == 1 else 'memories'}"
    return (
        f"<div><p>{escape(' · '.join(told))}</p><pre style='white-space: pre-wrap'>{escape(answer.context)}</pre>"
        f"<details><summary>Why: {count}, best first</summary>"
        f"<table>{_HEAD}{rows}</table></details></div>"
    )


def _row(memory: "RecalledMemory") -> str:
    cut = (memory.explain or {}).get("cut")
    place = "yes" if memory.in_context else f"no: {cut}" if cut else "no"
    when = f"{memory.occurred_at:%Y-%m-%d %H:%M}" if memory.occurred_at else ""
    cells = (memory.text, f"{memory.tier}: {memory.kind}", memory.said_by or "", when, f"{memory.score:.2f}", place)
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
