"""A recall as a person reads it: the ranking, how each tier answered, and the context."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from pydantic import JsonValue
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from ragpp.api import RecalledMemory, RecallResponse, Relevance
from ragpp_infra.cli.console import safe

_STATUS_STYLE = {"ok": "green", "timeout": "yellow", "skipped": "dim"}
_RELEVANCE: Mapping[Relevance, Text] = {
    "none": Text("relevance none: nothing that was found seems to be about the question", "yellow"),
    "some": Text("relevance some: something that was found may be about the question", "dim"),
    "clear": Text("relevance clear: something that was found is about the question", "green"),
}


def recall_view(answer: RecallResponse, *, explain: bool = False) -> RenderableType:
    """Everything that a recall found, from where, and how fast."""
    parts: list[RenderableType] = []
    if answer.memories:
        parts.append(ranking(answer.memories, explain=explain))
    else:
        parts.append(Text("nothing found", style="dim"))
    if answer.relevance is not None:
        parts.append(_RELEVANCE[answer.relevance])
    parts.extend((timings(answer), context(answer), *digesting(answer.receipt_pending)))
    return Group(*parts)


def ranking(memories: Sequence[RecalledMemory], *, explain: bool = False) -> Table:
    """One row a memory, best first; a dot marks what is part of the context."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for heading, justify in (("#", "right"), ("", "left"), ("tier", "left"), ("score", "right"), ("when", "left")):
        table.add_column(heading, justify="right" if justify == "right" else "left", no_wrap=True)
    table.add_column("who", max_width=14, overflow="ellipsis", no_wrap=True)
    table.add_column("text", ratio=1, overflow="fold")
    for rank, memory in enumerate(memories, start=1):
        text = safe(memory.text.replace("\n", " "))
        if explain and memory.explain:
            reasons = ", ".join(_reason(name, value) for name, value in memory.explain.items())
            text.append_text(safe(f"\n{reasons}", "dim"))
        table.add_row(
            str(rank),
            "•" if memory.in_context else "",
            memory.tier,
            f"{memory.score:.2f}",
            when(memory.occurred_at),
            safe(memory.said_by or ""),
            Text.assemble(("corrected since: ", "dim"), text) if memory.corrected_by else text,
        )
    return table


def _reason(name: str, value: JsonValue) -> str:
    """A line of an explanation; of signals, each with its sign."""
    if isinstance(value, dict):
        return ", ".join(f"{signal} {number:+.2f}" for signal, number in value.items() if isinstance(number, float))
    return f"{name.replace('_', ' ')} {_short(value)}"


def timings(answer: RecallResponse) -> RenderableType:
    """How each tier answered, in milliseconds, and the whole."""
    whole = Text(
        f"{answer.status} in {answer.elapsed_ms:.1f} ms", "bold green" if answer.status == "complete" else "bold red"
    )
    tiers = Table.grid(padding=(0, 2, 0, 0))
    for justify in ("left", "right", "right", "left"):
        tiers.add_column(justify="right" if justify == "right" else "left")
    for name, tier in answer.tiers.items():
        style = _STATUS_STYLE.get(tier.status, "red")
        hits = count(tier.hits, "hit") if tier.status == "ok" else tier.status
        tiers.add_row(f"  {name}", f"{tier.ms:.1f} ms", Text(hits, style), safe(tier.detail or "", "dim"))
    return Group(whole, tiers)


def context(answer: RecallResponse) -> Panel:
    """The assembled text, as a model would be given it."""
    text = safe(answer.context) if answer.context else Text("empty", style="dim")
    counted = f"{answer.tokens} tokens" + (f" of {answer.tokenizer}" if answer.tokenizer else "")
    return Panel(text, title=f"context, {counted}", title_align="left", border_style="dim")


def when(moment: datetime | None) -> str:
    """A moment to the minute, in UTC."""
    return "" if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def count(number: int, noun: str) -> str:
    """`1 hit`, `2 hits`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def counted(number: int, things: str) -> str:
    """`1 entity`, `2 entities`: the same of a plural."""
    one = f"{things.removesuffix('ies')}y" if things.endswith("ies") else things.removesuffix("s")
    return f"{number:,} {one if number == 1 else things}"


def digesting(pending: int) -> list[RenderableType]:
    """One line when messages, or forgettings, are not digested yet; none when all are, or nobody can tell (-1)."""
    if pending <= 0:
        return []
    return [Text(f"still being digested: {pending:,}; what is known may change yet", style="yellow")]


def _short(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
