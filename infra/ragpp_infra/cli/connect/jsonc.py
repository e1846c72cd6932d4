"""JSON settings with comments: one member put in, changed or taken out, and every other sign left as it is. Pure."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pydantic import JsonValue

from ragpp.errors import ConfigurationError

MEND: Final = "Mend the file, and run this again."
_STRING: Final = r'"(?:[^"\\\n]|\\.)*"'
_COMMENTS: Final = re.compile(rf"{_STRING}|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
"""Comments, and strings, since these may look like some."""
_IDLE: Final = re.compile(rf"{_STRING}|,(?=\s*[}}\]])")
"""Commas behind which nothing comes, and strings."""
_REMARK: Final = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/(?=[ \t]*[\r\n]))")
"""A comment on what stands before it on its line."""
_LINE_ENDS: Final = ("\n", "\r")
_SPACE: Final = re.compile(r"\s*")
_DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of an object: from where its key begins to where its value ends."""

    key: str
    begin: int
    value: int
    end: int


def read_object(text: str) -> dict[str, JsonValue]:
    """The object that settings are, {} for an empty file. Raises ConfigurationError."""
    plain = _plain(text)
    try:
        settings: JsonValue = json.loads(plain) if plain.strip() else {}
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"line {error.lineno} of it is no JSON ({error.msg})", suggestions=(MEND,)) from error
    except RecursionError as error:
        raise ConfigurationError("it is nested too deep", suggestions=(MEND,)) from error
    if not isinstance(settings, dict):
        raise ConfigurationError("it is no object", suggestions=(MEND,))
    return settings


def with_member(text: str, path: Sequence[str], value: JsonValue) -> str:
    """`text` with `value` at `path`, where the objects around it are made as they are needed; for None without that
    member, and without an object that nothing is left in. Raises ConfigurationError."""
    before = read_object(text)
    if value is not None and not _plain(text).strip():
        remarks = f"{text.rstrip()}\n" if text.strip() else ""
        return f"{remarks}{json.dumps(_nested(path, value), indent=2, ensure_ascii=False)}\n"
    changed = _changed(text, path, value)
    if _pruned(read_object(changed), path) != _pruned(_expected(before, path, value), path):
        raise ConfigurationError("a key stands in it twice, or it is otherwise not understood", suggestions=(MEND,))
    return changed


def _changed(text: str, path: Sequence[str], value: JsonValue) -> str:
    plain, around = _plain(text), list[_Member]()
    at = _skip(plain, 0)
    for depth, key in enumerate(path):
        members = list(_members(plain, at))
        found = next((one for one in members if one.key == key), None)
        if found is None:
            if value is None:
                return text
            return _inserted(text, at, members, key, _nested(path[depth + 1 :], value), depth)
        if depth == len(path) - 1:
            if value is not None:
                return f"{text[: found.value]}{_written(text, value, depth + 1)}{text[found.end :]}"
            if len(members) == 1 and around and not _remarks(text, at, around[-1].end):
                return _changed(text, path[:-1], None)
            return _without(text, members, found)
        if plain[found.value] != "{":
            raise ConfigurationError(f"{key!r} in it is no object", suggestions=(MEND,))
        around.append(found)
        at = found.value
    return text


def _inserted(text: str, at: int, members: Sequence[_Member], key: str, value: JsonValue, depth: int) -> str:
    """With a member behind the last one of the object that begins `at`, and behind a remark on that."""
    line, step = _layout(text)
    member = f"{line}{step * (depth + 1)}{json.dumps(key, ensure_ascii=False)}: {_written(text, value, depth + 1)}"
    if not members:
        close = _plain(text).index("}", at)
        inside = text[at + 1 : close].rstrip()
        return f"{text[: at + 1]}{inside}{member}{line}{step * depth}{text[close:]}"
    end = members[-1].end
    comma = _comma_behind(text, end)
    behind = _past_remark(text, end if comma is None else comma + 1)
    if comma is None:
        return f"{text[:end]},{text[end:behind]}{member}{text[behind:]}"
    return f"{text[:behind]}{member},{text[behind:]}"


def _without(text: str, members: Sequence[_Member], gone: _Member) -> str:
    """Without a member, and without the comma that parted it from the others."""
    begin, comma = len(text[: gone.begin].rstrip()), _comma_behind(text, gone.end)
    if comma is not None:
        return _joined(text[:begin], text[comma + 1 :])
    if len(members) == 1 and text[begin - 1] == "{" and text[gone.end :].lstrip().startswith("}"):
        return text[:begin] + text[gone.end :].lstrip()
    before = next((one for one, other in pairwise(members) if other is gone), None)
    parted = None if before is None else _comma_behind(text, before.end)
    kept = text[:begin] if parted is None else text[:parted] + text[parted + 1 : begin]
    return _joined(kept, text[gone.end :])


def _joined(before: str, behind: str) -> str:
    """Both, on two lines where the first ends in a comment that runs to the end of its line."""
    last = before.splitlines()[-1] if before else ""
    is_open = _blanked(last, _COMMENTS).rstrip() != last.rstrip() and not last.endswith("*/")
    return f"{before}{_layout(before)[0] if is_open and not behind.startswith(_LINE_ENDS) else ''}{behind}"


def _remarks(text: str, begin: int, end: int) -> bool:
    """True where comments stand between these places."""
    return _blanked(text, _COMMENTS)[begin:end] != text[begin:end]


def _comma_behind(text: str, place: int) -> int | None:
    """Where the next sign but space and comments is, if that is a comma."""
    rest = _blanked(text, _COMMENTS)
    found = _skip(rest, place)
    return found if rest[found : found + 1] == "," else None


def _past_remark(text: str, place: int) -> int:
    found = _REMARK.match(text, place)
    return place if found is None else found.end()


def _nested(path: Sequence[str], value: JsonValue) -> JsonValue:
    """`value` in an object for each key of `path`."""
    for key in reversed(path):
        value = {key: value}
    return value


def _expected(before: dict[str, JsonValue], path: Sequence[str], value: JsonValue) -> dict[str, JsonValue]:
    """`before` with `value` at `path`, for None without that member."""
    key, rest = path[0], path[1:]
    if rest:
        inner = before.get(key, {})
        return {**before, key: _expected(inner, rest, value) if isinstance(inner, dict) else {}}
    others = {name: one for name, one in before.items() if name != key}
    return others if value is None else {**before, key: value}


def _pruned(settings: dict[str, JsonValue], path: Sequence[str]) -> dict[str, JsonValue]:
    """Without the objects on the way to a member that nothing is in: of these a comment may be left."""
    inner = settings.get(path[0])
    if len(path) > 1 and isinstance(inner, dict):
        settings = {**settings, path[0]: _pruned(inner, path[1:])}
    return {name: one for name, one in settings.items() if name != path[0] or one != {}}


def _plain(text: str) -> str:
    """`text` as JSON, every sign at its place: comments and idle commas are spaces."""
    return _blanked(_blanked(f" {text[1:]}" if text.startswith("\ufeff") else text, _COMMENTS), _IDLE)


def _blanked(text: str, idle: re.Pattern[str]) -> str:
    """`text` with spaces in place of what is `idle`, but for strings."""

    def blank(match: re.Match[str]) -> str:
        return match.group() if match.group().startswith('"') else re.sub(r"[^\r\n]", " ", match.group())

    return idle.sub(blank, text)


def _members(plain: str, at: int) -> Iterator[_Member]:
    """The members of the object that begins `at`; `plain`: JSON that was read before."""
    place = _skip(plain, at + 1)
    while plain[place] != "}":
        key, end = _DECODER.raw_decode(plain, place)
        value = _skip(plain, _skip(plain, end) + 1)
        _, behind = _DECODER.raw_decode(plain, value)
        yield _Member(key, place, value, behind)
        place = _skip(plain, behind)
        if plain[place] == ",":
            place = _skip(plain, place + 1)


def _skip(plain: str, place: int) -> int:
    found = _SPACE.match(plain, place)
    return place if found is None else found.end()


def _layout(text: str) -> tuple[str, str]:
    """How a line ends in `text`, and what a step of its indentation is."""
    indented = re.search(r"\{(?:[ \t]*//[^\n]*)?\s*?\n([ \t]+)\S", text)
    return ("\r\n" if "\r\n" in text else "\n"), (indented[1] if indented else "  ")


def _written(text: str, value: JsonValue, depth: int) -> str:
    line, step = _layout(text)
    return json.dumps(value, indent=step, ensure_ascii=False).replace("\n", f"{line}{step * depth}")
