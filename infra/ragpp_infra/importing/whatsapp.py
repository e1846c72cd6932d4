"""A chat of WhatsApp as it is exported: lines with a local time, messages of several lines, lines of the app itself."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Final

from ragpp_infra.importing.reading import (
    NO_TEXT,
    Conversation,
    Export,
    ImportedMessage,
    Unread,
    UnreadableExport,
    stable_id,
)
from ragpp_infra.importing.whatsapp_dates import IN_WORDS, MARKS, Header, Order, header_of, order_of

SYSTEM: Final = "a line of WhatsApp itself"
MEDIA: Final = "a picture, sound or file: its caption is kept where it has one"
DELETED: Final = "deleted by who wrote it"
_NAME: Final = re.compile(r"(?P<name>[^:\n]{1,100}?):(?:[ \u00a0\n]|$)(?P<text>.*)", re.DOTALL)
_QUOTED: Final = re.compile('["“”„«»]')
"""Quotation marks, as a line of the app has that tells of a group's name, and nobody in theirs."""
_OMITTED: Final = re.compile(
    r"<(?:media omitted|medien ausgeschlossen|multimedia omitido|médias omis|media omessi|(?:arquivo de )?mídia oculta?"
    r"|arquivo de mídia oculto|ficheiro não revelado|media weggelaten)>|null"
    r"|(?:image|video|audio|sticker|gif|document|contact card|video note) omitted",
    re.IGNORECASE,
)
_ATTACHED: Final = re.compile(
    r"<(?:attached|anhang|adjunto|pièce jointe|anexado|allegato|bijlage): [^>\n]{1,255}>"
    r"|^[^\n]{1,255}\.\w{2,5} \((?:file attached|datei angehängt|archivo adjunto|fichier joint|arquivo anexado"
    r"|ficheiro anexado|file allegato|bestand bijgevoegd)\)",
    re.IGNORECASE | re.MULTILINE,
)
_DELETED: Final = re.compile(
    r"(?:this message was deleted|you deleted this message|diese nachricht wurde gelöscht"
    r"|du hast diese nachricht gelöscht|se eliminó este mensaje|eliminaste este mensaje|ce message a été supprimé"
    r"|vous avez supprimé ce message|mensagem apagada|essa mensagem foi apagada|questo messaggio è stato eliminato)\.?",
    re.IGNORECASE,
)
_EDITED: Final = re.compile(
    r"<(?:this message was edited|diese nachricht wurde bearbeitet|se editó este mensaje"
    r"|ce message a été modifié|mensagem editada)\.?>$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Chat:
    """How a chat is to be read. `zone`: whose its local times are. `order`: of its dates; None to find it. `me`: the
    name under which the user wrote; None to keep all names. `title`: of the chat, which its file is named after."""

    zone: tzinfo
    order: Order | None = None
    me: str | None = None
    title: str | None = None


@dataclass
class _Entry:
    line: int
    header: Header
    more: list[str] = field(default_factory=list)

    @property
    def rest(self) -> str:
        return "\n".join((self.header.rest, *self.more))


@dataclass(frozen=True)
class _Said:
    line: int
    moment: datetime
    name: str
    content: str

    @property
    def key(self) -> tuple[str, str, str]:
        return self.moment.isoformat(), self.name, self.content


def read_whatsapp(text: str, chat: Chat) -> Export:
    """The one conversation of `text`, whose id is made of its first message. Raises UnreadableExport where it has no
    message, where its dates can be read in several ways, and where nobody in it is `chat.me`."""
    unread: list[Unread] = []
    entries = _entries(text, unread)
    if not entries:
        raise UnreadableExport("no line of the chat begins with a date and a time")
    order = chat.order or order_of([entry.header for entry in entries])
    said = list(_said(entries, order, unread))
    names = Counter(one.name for one in said)
    if chat.me is not None and chat.me not in names:
        raise UnreadableExport(
            f"nobody in the chat is called {chat.me!r}", suggestions=(f"In it write {', '.join(names)}.",)
        )
    by = ", ".join(f"{name} ({number:,})" for name, number in names.items())
    notes = (f"dates are read as {IN_WORDS[order]}", *([f"written by {by}"] if by else []))
    session = stable_id("whatsapp", None, *(said[0].key if said else ()))
    return Export("whatsapp", [Conversation(session, chat.title, _messages(said, chat, session))], unread, notes)


def _entries(text: str, unread: list[Unread]) -> list[_Entry]:
    entries: list[_Entry] = []
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        header = header_of(line)
        if header is not None and (not entries or header.style == entries[0].header.style):
            entries.append(_Entry(number, header))
        elif entries:
            entries[-1].more.append(line)
        elif line.strip():
            unread.append(Unread(f"line {number}", "stands before the first message", failed=True))
    return entries


def _said(entries: Sequence[_Entry], order: Order, unread: list[Unread]) -> Iterator[_Said]:
    for entry in entries:
        place = f"line {entry.line}"
        moment = entry.header.moment(order)
        if moment is None:
            unread.append(Unread(place, f"its date has no {IN_WORDS[order]}", failed=True))
            continue
        found = _NAME.fullmatch(entry.rest)
        name = found["name"].strip(f" ~\u00a0\u202f{MARKS}") if found else ""
        if found is None or not name or _QUOTED.search(name):
            unread.append(Unread(place, SYSTEM))
            continue
        content, why = _content(found["text"], in_brackets=entry.header.style[0])
        if why is not None:
            unread.append(Unread(place, why))
        if content is not None:
            yield _Said(entry.line, moment, name, content)


def _messages(said: Sequence[_Said], chat: Chat, session: str) -> list[ImportedMessage]:
    """The messages, each with an id that it has in a longer export of the chat as well."""
    known: Counter[tuple[str, str, str]] = Counter()
    messages: list[ImportedMessage] = []
    for one in said:
        known[one.key] += 1
        mine = one.name == chat.me
        messages.append(
            ImportedMessage(
                session_id=session,
                message_id=stable_id("whatsapp", None, session, *one.key, str(known[one.key])),
                role="user",
                name=None if mine else one.name,
                content=one.content,
                occurred_at=one.moment.replace(tzinfo=chat.zone),
                place=f"line {one.line}",
                others={"metadata": {"sender": one.name}} if mine else {},
            )
        )
    return messages


def _content(text: str, *, in_brackets: bool) -> tuple[str | None, str | None]:
    """The words that somebody wrote, None for none; behind them why something was left out."""
    written = _EDITED.sub("", text.strip()).strip()
    shown = written.strip(f" \n{MARKS}")
    if _DELETED.fullmatch(shown):
        return None, DELETED
    if _OMITTED.fullmatch(shown):
        return None, MEDIA
    left = _ATTACHED.sub("", shown)
    if left != shown:
        return left.strip(f" \n{MARKS}") or None, MEDIA
    if in_brackets and written.startswith("\u200e"):  # the mark is the app's own, before what nobody wrote
        return None, MEDIA if shown.endswith(" omitted") else SYSTEM
    return (shown, None) if shown else (None, NO_TEXT)
