"""Forgetting in two calls: what would go is listed, and goes when that is confirmed."""

from typing import Final

from ragpp.api import ForgetAnswer
from ragpp.client import AsyncMemoryClient
from ragpp.errors import InvalidInput
from ragpp.mcp.answers import Forgetting, Found
from ragpp.mcp.connecting import LISTED

_PAGE: Final = 200
BY_NAME: Final = "name:"
BY_WORDS: Final = "words:"
"""The beginning of a token: how the messages were found, since they are confirmed in the same way."""


async def list_messages(client: AsyncMemoryClient, user: str, about: str) -> Forgetting:
    """Those that are about a name, or where none is so called, that have these words; nothing is changed."""
    for by in (BY_NAME, BY_WORDS):
        answer = await client.forget_about(user_id=user, about=_about(by, about), limit=LISTED)
        if answer.total or answer.stated:
            break
    return _told(answer, by + answer.token if answer.total or answer.stated else None)


async def forget_listed(
    client: AsyncMemoryClient, user: str, about: str, token: str, only_ids: list[str] | None
) -> Forgetting:
    """Forget what `list_messages` gave `token` for, or of it what `only_ids` name, one at least. Raises InvalidInput
    for what is no such token, for no ids and for one that is not listed, Conflict where all is confirmed and something
    has come since."""
    by, given = _parted(token)
    if only_ids is not None:
        await _check_listed(client, user, _about(by, about), only_ids)
    confirm = {"token": given} if only_ids is None else {"ids": only_ids}
    done = await client.forget_about(user_id=user, about=_about(by, about), confirm=confirm, limit=LISTED)
    return _told(done, None)


async def _check_listed(client: AsyncMemoryClient, user: str, about: dict[str, str], ids: list[str]) -> None:
    left, cursor = dict.fromkeys(ids), None
    while left:
        page = await client.forget_about(user_id=user, about=about, cursor=cursor, limit=_PAGE)
        for one in page.found:
            left.pop(one.id, None)
        cursor = page.next_cursor
        if cursor is None:
            break
    if left:
        named = ", ".join(repr(one[:100]) for one in list(left)[:LISTED])
        raise InvalidInput(
            f"only_ids: {named} {'is' if len(left) == 1 else 'are'} not among the messages that are about it",
            suggestions=("Nothing was forgotten. Take ids as the call without a token lists them.",),
        )


def in_words(told: Forgetting, about: str) -> str:
    """The text that a model reads of it."""
    if told.forgotten is not None:
        left = f" Still stated by hand: {'; '.join(told.stated)}." if told.stated else ""
        return f"Forgotten: {_messages(told.forgotten)}, and what was learned from them alone.{left}"
    if not told.total and not told.stated:
        return f"No message is about {about!r}."
    lines = [f"- stated by hand: {text}" for text in told.stated]
    lines += [f"- {one.occurred_at:%Y-%m-%d} {one.said_by}: {one.excerpt} (id {one.id})" for one in told.messages]
    if told.total > len(told.messages):
        lines.append(f"… and {told.total - len(told.messages)} more")
    learned = ", ".join(f"{kind} {count}" for kind, count in told.with_them.items()) or "nothing that was learned"
    head = f"{_messages(told.total)} would be forgotten, and with them {learned}:"
    foot = f"Nothing has been changed yet. To forget them, call again with the token {told.token!r}."
    return "\n".join([head, *lines, foot])


def _messages(count: int) -> str:
    return "1 message" if count == 1 else f"{count} messages"


def _about(by: str, about: str) -> dict[str, str]:
    return {"entity" if by == BY_NAME else "words": about}


def _parted(token: str) -> tuple[str, str]:
    for by in (BY_NAME, BY_WORDS):
        if token.startswith(by):
            return by, token.removeprefix(by)
    raise InvalidInput("that is no token", suggestions=("Call `forget` without one first: it lists, and gives it.",))


def _told(answer: ForgetAnswer, token: str | None) -> Forgetting:
    messages = [
        Found(id=one.id, excerpt=one.excerpt, said_by=one.name or one.role, occurred_at=one.occurred_at)
        for one in answer.found
    ]
    learned = {kind: count for kind, count in answer.with_them.items() if count}
    return Forgetting(
        messages=messages,
        total=answer.total,
        with_them=learned,
        stated=[one.text for one in answer.stated],
        token=token,
        forgotten=answer.forgotten,
    )
