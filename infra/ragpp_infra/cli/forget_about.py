"""`ragpp forget message` and `about`: messages by their ids, or all that is about somebody or something."""

import asyncio
import shlex
from collections.abc import Mapping, Sequence
from typing import Annotated, Final

import typer
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from ragpp.api import ForgetAnswer, ForgetRequest, ForgottenMessage, FoundMessage, TierStatusName
from ragpp.client import AsyncMemoryClient
from ragpp.errors import InvalidInput, NotFound
from ragpp.models import TierName
from ragpp_infra.cli.arguments import checked
from ragpp_infra.cli.console import ExitCode, emit_json, err, out, safe
from ragpp_infra.cli.going import Going, going_with
from ragpp_infra.cli.namesakes import Namesakes, namesakes_of
from ragpp_infra.cli.options import DEFAULT_HOME, DryRunOption, HomeOption, JsonOption, KeyOption, UrlOption, UserOption
from ragpp_infra.cli.render import count, counted, when
from ragpp_infra.embedded.home import Home

LISTED: Final = 200
"""Messages that are shown of what was found."""
MOST_NAMED: Final = 20
"""Things that are named of what goes with them."""


def message(
    ids: Annotated[list[str], typer.Argument(help="Which messages.", show_default=False)],
    user: UserOption,
    replies: Annotated[bool, typer.Option("--replies", help="Also what repeats them; told of either way.")] = False,
    dry_run: DryRunOption = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Forget single messages, and what was learned from them.

    Example: [bold]ragpp forget message m-17 --user u1 --replies[/bold]
    """
    _messages(Home(home).client(url, key), user, ids, replies=replies, dry_run=dry_run, as_json=as_json)


def about(
    user: UserOption,
    entity: Annotated[str | None, typer.Option(help="A person or thing, by its id or a name.")] = None,
    words: Annotated[str | None, typer.Option(help="What has all of these words.")] = None,
    replies: Annotated[bool, typer.Option("--replies/--no-replies", help="Also what repeats it.")] = True,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Forget what is found, rather than only list it.")] = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """List every message about a person, a thing, or words; with --yes forget them.

    Example: [bold]ragpp forget about --entity Sofia --user u1 --yes[/bold]
    """
    if (entity is None) == (words is None):
        hint = ("ragpp forget about --entity Sofia --user u1",)
        raise InvalidInput("say what it is about: either --entity or --words", suggestions=hint)
    what = {name: text for name, text in (("entity", entity), ("words", words)) if text is not None}
    request = checked(ForgetRequest, {"user_id": user, "about": what, "replies": replies, "limit": LISTED})
    _about(Home(home).client(url, key), request, confirm=yes, as_json=as_json)


def _messages(
    memory: AsyncMemoryClient, user: str, ids: list[str], *, replies: bool, dry_run: bool, as_json: bool
) -> None:
    async def all_of_them() -> dict[str, ForgottenMessage | NotFound]:
        done: dict[str, ForgottenMessage | NotFound] = {}
        gone: set[str] = set()
        async with memory as client:
            for identifier in dict.fromkeys(ids):
                if identifier not in gone:  # as a reply to one before it
                    try:
                        answer = await client.forget_interaction(user, identifier, replies=replies, dry_run=dry_run)
                    except NotFound as error:
                        done[identifier] = error
                        continue
                    done[identifier] = answer
                    gone |= {identifier, *answer.repeated_by} if replies and not dry_run else {identifier}
        return done

    done = asyncio.run(all_of_them())
    missing = [identifier for identifier, answer in done.items() if isinstance(answer, NotFound)]
    if as_json:
        emit_json(
            {
                identifier: {"code": answer.code, "detail": answer.message}
                if isinstance(answer, NotFound)
                else answer.model_dump(mode="json")
                for identifier, answer in done.items()
            }
        )
    else:
        _tell(done, replies=replies)
    if missing:
        raise typer.Exit(ExitCode.FAILURE)


def _tell(done: Mapping[str, ForgottenMessage | NotFound], *, replies: bool) -> None:
    for identifier, answer in done.items():
        if isinstance(answer, NotFound):
            err.print(safe(identifier, "bold").append_text(safe(f": {answer.message}", "red")))
            continue
        verb = "would be forgotten" if answer.dry_run else "forgotten"
        if answer.job is not None:
            verb = f"is being forgotten by job {answer.job}"
        line = safe(identifier, "bold").append_text(safe(f" {verb}"))
        if answer.repeated_by:
            went = "with" if replies else "repeated by"
            line.append_text(safe(f", {went} {', '.join(answer.repeated_by)}", "dim" if replies else "yellow"))
        out.print(line.append_text(_late(answer.tiers)))


def _about(memory: AsyncMemoryClient, request: ForgetRequest, *, confirm: bool, as_json: bool) -> None:
    user, entity = request.user_id, request.about.entity

    async def ask() -> tuple[ForgetAnswer, ForgetAnswer | None, list[Going], Namesakes | None]:
        async with memory as client:
            found = await client.forget_about(request)
            going = [] if as_json else await going_with(client, user, found)
            named = None if as_json or entity is None else await namesakes_of(client, user, entity, found.names)
            if not (confirm and (found.total or found.stated)):
                return found, None, going, named
            return found, await client.confirm_forget(request, found), going, named

    found, done, going, named = asyncio.run(ask())
    if as_json:
        emit_json((done or found).model_dump(mode="json"))
        return
    _list(found, done, going)
    if named is not None:
        _tell_namesakes(user, found, named)


def _list(found: ForgetAnswer, done: ForgetAnswer | None, going: Sequence[Going]) -> None:
    for one in found.found:
        out.print(shown(one))
    if found.total > len(found.found):
        out.print(safe(f"and {found.total - len(found.found):,} more", "dim"))
    _tell_going(going, gone=done is not None)
    for stated in found.stated:
        out.print(safe(f"stated by hand: {stated.text}"))
    if done is not None and done.job is not None:
        verb = "is" if found.total == 1 else "are"
        said = f"{count(found.total, 'message')} {verb} being forgotten: ragpp jobs show {done.job}"
        out.print(safe(said, "yellow"))
        return
    if done is not None:
        forgotten = count(done.forgotten or 0, "message") + _and_stated(found)
        out.print(safe(f"{forgotten} forgotten").append_text(_late(done.tiers)))
        return
    if not (found.total or found.stated):
        out.print("no message is about it")
        return
    kinds = ", ".join(counted(number, kind) for kind, number in found.with_them.items() if number)
    said = f"{count(found.total, 'message')}{_and_stated(found)} about it"
    said += f"; with them would go {kinds}" if kinds else ""
    out.print(safe(f"{said}. Forget them with --yes"))


def _and_stated(found: ForgetAnswer) -> str:
    return f" and {count(len(found.stated), 'statement')}" if found.stated else ""


def _tell_namesakes(user: str, found: ForgetAnswer, named: Namesakes) -> None:
    """That nobody of the name is known, and who is called almost so and stays."""
    if not (named.known or found.total):
        out.print(safe(f"nobody and nothing of the name {named.asked!r} is known of {user!r}", "yellow"))
    for one in named.similar:
        command = shlex.join(["ragpp", "forget", "about", "--entity", one.name, "--user", user])
        said = f"also known: {one.name} ({one.label}), {count(one.mentions, 'mention')}: {command}"
        out.print(safe(said, "yellow"), soft_wrap=True)


def _tell_going(going: Sequence[Going], *, gone: bool) -> None:
    """Show what rests on these messages alone, and the command that states it again where there is one."""
    if going:
        out.print(
            safe("what was learned from these alone " + ("went with them:" if gone else "goes with them:"), "bold")
        )
    for one in going[:MOST_NAMED]:
        out.print(safe(f"  {one.text}"))
        if one.again is not None:
            out.print(safe(f"    to state it again: {one.again}", "dim"), soft_wrap=True)
    if len(going) > MOST_NAMED:
        out.print(safe(f"  and {len(going) - MOST_NAMED:,} more", "dim"))


def shown(one: FoundMessage) -> RenderableType:
    """When and who, why, and the id on one line; below them the text in all of the width."""
    heading = Text.assemble(when(one.occurred_at), "  ", safe(one.name or one.role, "bold"))
    heading.append_text(safe(f"  {', '.join(one.why)}  {one.id}", "dim"))
    return Group(heading, Padding(safe(one.excerpt), (0, 0, 0, 2)))


def _late(tiers: Mapping[TierName, TierStatusName]) -> Text:
    """Which tiers the workers have still to clean."""
    late = [tier for tier, status in tiers.items() if status != "ok"]
    return safe(f"; the workers go on with {', '.join(late)}" if late else "", "yellow")
