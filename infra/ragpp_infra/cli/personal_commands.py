"""`ragpp personal-data show | set | drop`: what becomes of personal data that comes in."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Final, get_args

import typer

from ragpp.api.personal import PersonalPolicyIn, PersonalPolicyOut
from ragpp.client import AsyncMemoryClient
from ragpp.personal.kinds import KINDS, PersonalKind
from ragpp.personal.policy import PersonalMode
from ragpp_infra.cli.administering import as_administrator
from ragpp_infra.cli.arguments import checked, one_of
from ragpp_infra.cli.console import emit_json, out, safe
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption, KeyOption, UrlOption, named
from ragpp_infra.embedded.lifecycle import Lifecycle

app = typer.Typer(
    help="Keep, mask or refuse personal data that comes in, for all users or for one.\n\n"
    "Example: [bold]ragpp personal-data set mask --kinds email,phone[/bold]",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
ForOption = Annotated[
    str | None,
    typer.Option("--user", "-u", callback=named, help="Of this user alone; absent: of all who have none of their own."),
]
_SAID: Final = {
    "keep": "personal data is kept as it comes",
    "mask": "a mask takes the place of personal data",
    "refuse": "what has personal data is refused",
}
_SET_BY: Final = {
    "user": "the user's own policy",
    "tenant": "the policy of all users",
    "default": "nobody set a policy",
}


@app.command()
def show(
    user: ForOption = None,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """The policy that holds, and whose it is.

    Example: [bold]ragpp personal-data show --user u1[/bold]
    """
    _show(
        home,
        url,
        key,
        lambda client: client.user_personal_policy(user) if user else client.personal_policy(),
        as_json=as_json,
    )


@app.command("set")
def set_(
    mode: Annotated[str, typer.Argument(help="keep, mask or refuse.", show_default=False)],
    user: ForOption = None,
    kinds: Annotated[
        str | None, typer.Option(help=f"Only these, divided by commas: {', '.join(get_args(PersonalKind))}.")
    ] = None,
    keep_passwords: Annotated[
        bool, typer.Option("--keep-passwords", help="Passwords, PINs and door codes stay in the text.")
    ] = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Decide it for what comes in from now on; what is stored stays as it is.

    Example: [bold]ragpp personal-data set mask --kinds email,phone --user u1[/bold]
    """
    given: dict[str, object] = {"mode": one_of(mode, get_args(PersonalMode), "MODE"), "keeps_passwords": keep_passwords}
    if kinds is not None:
        wanted = [kind.strip() for kind in kinds.split(",") if kind.strip()]
        given["kinds"] = [one_of(kind, get_args(PersonalKind), "--kinds") for kind in wanted]
    body = checked(PersonalPolicyIn, given)
    _show(
        home,
        url,
        key,
        lambda client: client.set_user_personal_policy(user, body) if user else client.set_personal_policy(body),
        as_json=as_json,
    )


@app.command()
def drop(
    user: ForOption = None,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let the policy go; what holds then is shown.

    Example: [bold]ragpp personal-data drop --user u1[/bold]
    """
    _show(
        home,
        url,
        key,
        lambda client: client.drop_user_personal_policy(user) if user else client.drop_personal_policy(),
        as_json=as_json,
    )


def _show(
    home: Path,
    url: str | None,
    key: str | None,
    ask: Callable[[AsyncMemoryClient], Awaitable[PersonalPolicyOut]],
    *,
    as_json: bool,
) -> None:
    """The policy that an administrator is answered by `ask`."""
    policy = as_administrator(Lifecycle(home), url, key, ask)
    if as_json:
        emit_json(policy.model_dump(mode="json"))
        return
    out.print(safe(f"{_SAID[policy.mode]} ({_SET_BY[policy.set_by]})", "bold"))
    if policy.mode != "keep":
        named_kinds = "all kinds" if len(policy.kinds) == len(KINDS) else ", ".join(policy.kinds)
        out.print(safe(f"it holds for: {named_kinds}"))
    out.print(safe(f"passwords, PINs and door codes are {'kept' if policy.keeps_passwords else 'taken out'}"))
