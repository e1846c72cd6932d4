"""`ragpp agents source`, `compare` and `usage`: where an agent's memories come from, and what it was given."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ragpp.api.files import SourceIn, SourceReport
from ragpp.api.hooks import AgentUse
from ragpp.client import AsyncMemoryClient
from ragpp.entries.usage import AgentSource
from ragpp.memory.whose import or_none
from ragpp_infra.cli.agents.options import AgentArgument
from ragpp_infra.cli.catalog.options import LimitOption, WhoseOption
from ragpp_infra.cli.console import emit_json, out, safe
from ragpp_infra.cli.jobs_command import with_gateway
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption, KeyOption, UrlOption
from ragpp_infra.cli.render import count

PAGE = 200


def source(
    agent: AgentArgument,
    wanted: Annotated[
        AgentSource | None,
        typer.Argument(
            metavar="[file|parallel|catalog]",
            help="file: what was imported alone; parallel: the catalog, compared with the file; catalog.",
        ),
    ] = None,
    user: WhoseOption = None,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say where an agent's memories come from, from its next turn on; without a source, tell it.

    Example: [bold]ragpp agents source ergon parallel --user u1[/bold]
    """

    async def run(client: AsyncMemoryClient) -> AgentUse:
        if wanted is None:
            return await client.agent_usage(agent, user_id=user, limit=1)
        return await client.set_agent_source(agent, SourceIn(user_id=user, source=wanted))

    use = with_gateway(home, url, key, run)
    if as_json:
        emit_json({"ci": use.ci, "source": use.source})
    else:
        out.print(safe(f"{use.ci}: {use.source}"))


def compare(
    agent: AgentArgument,
    user: WhoseOption = None,
    limit: LimitOption = 20,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show how an agent's file and the catalog differ, since it was set to parallel.

    Example: [bold]ragpp agents compare ergon --user u1[/bold]
    """

    async def run(client: AsyncMemoryClient) -> tuple[SourceReport, dict[str, str]]:
        report = await client.agent_comparison(agent, user_id=user, limit=min(limit, PAGE))
        shown = () if as_json else tuple(one.memory_id for one in report.memories)
        return report, await _summaries(client, user, shown)

    report, summaries = with_gateway(home, url, key, run)
    if as_json:
        emit_json({**report.model_dump(mode="json"), "overlap": report.compared.overlap})
    else:
        out.print(_report_view(report, summaries))


def _report_view(report: SourceReport, summaries: Mapping[str, str]) -> RenderableType:
    told, turns = report.compared, report.compared.turns
    if not turns:
        hint = f": `ragpp agents source {report.ci} parallel` begins it" if report.source != "parallel" else ""
        return safe(f"{report.ci}: nothing was compared yet{hint}")
    lines = [f"{report.ci}: {count(turns, 'turn')} compared, {told.equal} of them given the same"]
    for name, memories, tokens in (
        ("file", told.file_memories, told.file_tokens),
        ("catalog", told.catalog_memories, told.catalog_tokens),
    ):
        lines.append(f"  {name:8} {memories / turns:5.1f} memories, {tokens / turns:6.0f} tokens a turn")
    if told.overlap is not None:
        lines.append(f"  {told.overlap:.0%} of all that either gave was given by both")
    table = _table("file alone", "catalog alone", "both", "memory")
    for one in report.memories:
        counts = (one.by_file, one.by_catalog, one.by_both)
        table.add_row(*map(str, counts), _named(one.memory_id, summaries))
    return Group(safe("\n".join(lines)), table)


def usage(
    agent: AgentArgument,
    user: WhoseOption = None,
    limit: LimitOption = 20,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what an agent was given in all its turns, and of which memories.

    Example: [bold]ragpp agents usage ergon --user u1[/bold]
    """

    async def run(client: AsyncMemoryClient) -> tuple[AgentUse, dict[str, str]]:
        use = await client.agent_usage(agent, user_id=user, limit=min(limit, PAGE))
        shown = () if as_json else tuple(one.memory_id for one in use.memories)
        return use, await _summaries(client, user, shown)

    use, summaries = with_gateway(home, url, key, run)
    if as_json:
        emit_json(use.model_dump(mode="json"))
        return
    out.print(safe(f"{use.ci}: {count(use.turns, 'turn')}, source {use.source}"))
    out.print(safe(f"  {use.catalog_tokens:,} tokens of catalogs, {use.memory_tokens:,} of memories"))
    out.print(safe(f"  this turn: {use.token_budget.used:,} of {use.token_budget.limit:,} tokens used"))
    table = _table("tokens", "offered", "given", "useful", "memory")
    for one in use.memories:
        useful = "" if one.useful is None else f"{one.useful:.2f}"
        table.add_row(f"{one.tokens:,}", str(one.offered), str(one.given), useful, _named(one.memory_id, summaries))
    if use.memories:
        out.print(table)


async def _summaries(client: AsyncMemoryClient, user: str | None, ids: Sequence[str]) -> dict[str, str]:
    """The summaries of these memories by id, as far as they are there."""
    found = [await or_none(client.entry(one, user_id=user)) for one in ids]
    return {entry.memory_id: entry.summary for entry in found if entry is not None}


def _named(memory_id: str, summaries: Mapping[str, str]) -> Text:
    told = safe(summaries.get(memory_id, "(gone)"))
    return told.append_text(safe(f"\n{memory_id}", "dim"))


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    names: Sequence[str] = headings
    for name in names[:-1]:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(names[-1], overflow="fold")
    return table
