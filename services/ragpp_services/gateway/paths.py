"""Addresses as they were sent: ids in paths are the client's own texts, escaped, slashes and line ends included."""

from typing import Final
from urllib.parse import quote, unquote, unquote_to_bytes

from starlette.convertors import Convertor, register_url_convertor
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope

from ragpp.errors import InvalidInput
from ragpp.errors.problems import problem_of
from ragpp.web.problems import respond

_UNESCAPED: Final = "/%!$&'()*+,;=:@~[]"


class EscapedAddressMiddleware:
    """Lets routes match the path as it was sent: unescaped beforehand, a slash in an id would begin a new segment.

    A query that is not UTF-8 is refused; it would otherwise be read with other characters in its place.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        unread = _not_utf8(scope["query_string"])
        if unread:
            errors = [{"field": name, "reason": "is not UTF-8"} for name in unread]
            error = InvalidInput(f"the parameter {unread[0]!r} is not UTF-8", details={"errors": errors})
            await respond(problem_of(error))(scope, receive, send)
            return
        raw: bytes | None = scope.get("raw_path")
        path = quote(scope["path"], safe="/") if raw is None else quote(raw.partition(b"?")[0], safe=_UNESCAPED)
        scope["path"] = path  # of the scope itself: whoever stands around this is told the route that is found
        await self._app(scope, receive, send)


def _not_utf8(query: bytes) -> list[str]:
    """Names of the parameters that cannot be decoded."""
    names = []
    for part in query.split(b"&") if b"%" in query or not query.isascii() else ():
        try:
            unquote_to_bytes(part).decode()
        except UnicodeDecodeError:
            names.append(part.partition(b"=")[0].decode("ascii", "replace"))
    return names


class IdConvertor(Convertor[str]):
    """One escaped segment. What is not UTF-8 becomes lone surrogates, which no id may hold, so it is refused as one."""

    regex = "[^/]+"

    def convert(self, value: str) -> str:
        return unquote(value, errors="surrogateescape")

    def to_string(self, value: str) -> str:
        return quote(value, safe="")


class IdsConvertor(IdConvertor):
    """The same to the end of the path, for ids whose slashes were not escaped."""

    regex = ".+"


register_url_convertor("id", IdConvertor())
register_url_convertor("ids", IdsConvertor())
