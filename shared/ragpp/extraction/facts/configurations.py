"""Reads a configuration, in JSON or in lines of YAML, TOML, INI, properties or environment variables: each setting as a
sentence with its whole path, and what comments and the running text between settings say."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from ragpp.extraction.facts.documents import BY_FORM
from ragpp.extraction.facts.passages import Compact, Given, Passage, Prose, Voice, compact
from ragpp.extraction.facts.verbs import Clause, finite_verb

_SECTION: Final = re.compile(r"\s*\[{1,2}\s*(?P<path>[^\[\]\n]+?)\s*\]{1,2}\s*(?:[#;].*)?$")
_SETTING: Final = re.compile(
    r"(?P<indent>\s*)(?P<item>-\s+)?(?:export\s+|set\s+|--(?=\w))?[\"']?(?P<key>[\w@$][\w.@$/ -]{0,80}?)[\"']?"
    r"\s*(?P<sign>=>|->|:=|:(?=\s|$)|=)\s*(?P<value>.*)$"
)
_UNSIGNED: Final = re.compile(
    r"(?P<indent>\s*)(?P<item>(?!))?(?:<(?P<tag>[A-Za-z][\w.:-]*)>(?P<between>[^<>\n]+)</[\w.:-]+>\s*|"
    r"(?:set\s+|--)?(?P<key>[A-Za-z][\w.-]*)\s+(?P<value>[^\s;]+(?:\s[^\s;]+){0,3};|(?:on|off|yes|no|true|false|\d\S*))\s*)$"
)
"""A setting without a sign: "listen 443 ssl;", "--depth 4", "<retries>3</retries>"."""
_MAPPED: Final = re.compile(r"\{(?P<pairs>[^{}]+:\s[^{}]+)\}$")
_LISTED: Final = re.compile(r"(?P<indent>\s*)-\s+(?P<value>\S.*)$")
_COMMENT: Final = re.compile(r"\s*(?:#+|//+|;+|--(?!\w)|/?\*+)(?!!)\s*(?P<text>.*?)\s*(?:\*/)?$")
_BEHIND: Final = re.compile(r"\s+(?:#|//|;)\s*(?P<comment>[^\"']*)$")
_TASK: Final = re.compile(r"\s*(?:todo|fixme|xxx|hack)\b", re.IGNORECASE)
_OPENS: Final = frozenset({"", "|", ">", "|-", ">-", "{", "[", "&", "---"})
_NOTHING: Final = frozenset({"null", "~", "none", "None", '""', "''", "{}", "[]", "undefined"})
_NAMING: Final = frozenset(
    {"name", "id", "agent", "agent_name", "service", "app", "project", "title", "job", "bot", "workflow"}
)
_TOKEN: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_FEWEST_WORDS: Final = 3
_LONGEST_TITLE: Final = 4
_FORM: Final = Voice()


@dataclass(slots=True)
class _Level:
    """A mapping or a list that is open. `name`: what it is under; `called`: what it says that it is called, or what a
    comment does until it `is_named`."""

    indent: int
    name: str
    called: str | None = None
    is_named: bool = False
    said: list[str] = field(default_factory=list)


def settings(content: str) -> Iterator[Passage]:
    """The passages of a configuration, in order: what it sets and what its comments say. In linear time."""
    if content.lstrip()[:1] in {"{", "["} and not _SECTION.match(content.lstrip().partition("\n")[0]):
        yield from _of_json(content)
    else:
        yield from _of_lines(content)


def _stated(path: list[_Level], key: str, value: str, comment: str = "") -> str:
    """ "The max_tokens of agents.sales is 2000"."""
    of = _path(path)
    inside = [level.name for level in path if level.called and level.name and level.name != level.called]
    kind = f" ({'.'.join(inside)})" if inside else ""
    whose = f" of {of}{kind}" if of else ""
    return f"{key}{whose} is {value}" + (f" ({comment})" if comment else "")


def _path(levels: list[_Level]) -> str:
    """ "agents.sales"; of what has a name of several words, "agents of ferry office"."""
    root, *below = [level.called or level.name for level in levels] or [""]
    inner = ".".join(name for name in below if name)
    return " of ".join(filter(None, (inner, root))) if " " in root else ".".join(filter(None, (root, inner)))


def _plain(value: str) -> str:
    bare = value.strip().rstrip(",").strip()
    if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'":
        return bare[1:-1]
    if bare.startswith("[") and bare.endswith("]"):
        return ", ".join(_plain(part) for part in bare[1:-1].split(",") if part.strip())
    return bare


def _of_lines(content: str) -> Iterator[Passage]:
    title = _title(content)
    levels, said = [_Level(-1, "", title)], list[tuple[int, int]]()
    for match in re.finditer(r"[^\n]+", content):
        line, begin = match.group(), match.start()
        comment = _COMMENT.match(line)
        if comment and not line.lstrip().startswith(("---", "- ")):
            setting = _SETTING.match(comment["text"])
            if not _TASK.match(comment["text"]) and (
                setting is None or (" " in setting["value"].strip() and "=" not in comment["text"])
            ):
                said.append((begin + comment.start("text"), begin + comment.end("text")))
            continue
        if _is_running_text(line):
            said.append((begin, match.end()))
            continue
        yield from _said(content, said)
        said.clear()
        yield from _of_line(line, begin, levels)
    yield from _said(content, said)


def _title(content: str) -> str | None:
    """The title of a configuration: the short comment that it begins with, where no other names a part of it."""
    first, *others = content.lstrip().split("\n")
    title = _named_by(first)
    return None if title is None or any(_named_by(line) for line in others) else title


def _named_by(line: str) -> str | None:
    """The text of a comment that says no more than a name."""
    comment = _COMMENT.match(line)
    text = comment["text"].rstrip(":") if comment else ""
    if not text[:1].isalpha() or text[-1] in ".!?" or len(text.split()) > _LONGEST_TITLE:
        return None
    says_more = _TASK.match(text) or _SETTING.match(text) or finite_verb(text)
    return None if says_more else text


def _is_running_text(line: str) -> bool:
    """True where a line sets nothing, such as one of an agent's instructions."""
    text = line.strip()
    if not text[:1].isalnum() or text[:1].islower() or text[-1] not in ".!" or len(text.split()) < _FEWEST_WORDS:
        return False
    return _SETTING.match(line) is None


def _said(content: str, spans: list[tuple[int, int]]) -> Iterator[Passage]:
    for start, end in spans:
        body = compact(content, start, end)
        if body.text:
            yield Prose(body, _FORM)


def _of_line(line: str, begin: int, levels: list[_Level]) -> Iterator[Passage]:
    section = _SECTION.match(line)
    if section:
        levels[:] = [_Level(-1, "", levels[0].called), _Level(-1, section["path"].strip("\"'"))]
        return
    setting = _SETTING.match(line) or _UNSIGNED.match(line)
    if setting is None:
        listed = _LISTED.match(line)
        if listed:
            _leave(levels, len(listed["indent"]) + 1)
            if _is_running_text(listed["value"]) or (Clause(listed["value"]).subject and not levels[-1].name):
                body = compact(line, listed.start("value"), len(line))
                yield Prose(Compact(body.text, [begin + place for place in body.places]), _FORM)
                return
            value, comment = _parted(listed["value"])
            if value and levels[-1].name:
                yield _given(_listed(levels, value), line, begin, comment)
        return
    indent = len(setting["indent"].expandtabs(4))
    if setting["item"]:
        _leave(levels, indent + 1)
        parent = levels[-1].name
        levels.append(_Level(indent + 1, parent))
        indent += len(setting["item"])
    else:
        _leave(levels, indent)
    yield from _set(setting, indent, line, begin, levels)


def _set(setting: re.Match[str], indent: int, line: str, begin: int, levels: list[_Level]) -> Iterator[Passage]:
    key, (value, comment) = _key_of(setting), _parted(_value_of(setting))
    if value in _OPENS:
        levels.append(_Level(indent, key))
        return
    if value in _NOTHING:
        return
    mapped = _MAPPED.match(value)
    if mapped:
        path = [*levels, _Level(indent, key)]
        for name, _, inner in (pair.partition(":") for pair in mapped["pairs"].split(",")):
            if inner.strip():
                yield _given(_stated(path, _plain(name), _plain(inner)), line, begin, comment)
        return
    plain = _plain(value)
    yield _given(_stated(levels[:], key, plain), line, begin, comment)
    inner = levels[-1]
    named_above = inner is levels[0] and inner.called is not None and plain.lower() in inner.called.lower()
    if key.lower() in _NAMING and len(plain.split()) < 6 and not named_above:
        inner.called = inner.called if inner.is_named else plain
        inner.is_named = True


def _key_of(setting: re.Match[str]) -> str:
    return (setting["key"] or setting["tag"]).strip()


def _value_of(setting: re.Match[str]) -> str:
    return (setting["value"] or setting.groupdict().get("between") or "").strip().rstrip(";")


def _leave(levels: list[_Level], indent: int) -> None:
    """Close what is not above a line of that indent; sections stay open."""
    while len(levels) > 1 and levels[-1].indent >= indent and levels[-1].indent >= 0:
        levels.pop()


def _parted(value: str) -> tuple[str, str]:
    """A value and the comment behind it."""
    behind = _BEHIND.search(value)
    if behind is None:
        return value.strip(), ""
    return value[: behind.start()].strip(), behind["comment"].strip()


def _listed(path: list[_Level], value: str) -> str:
    *above, last = path
    of = _path(above)
    return f"{last.name}{f' of {of}' if of else ''} includes {_plain(value)}"


def _given(text: str, line: str, begin: int, comment: str = "") -> Given:
    start = begin + len(line) - len(line.lstrip())
    said = f"{text} ({comment})" if comment else text
    return Given(" ".join(said.split()), start, begin + len(line.rstrip()), _FORM, BY_FORM)


def _of_json(content: str) -> Iterator[Passage]:
    """The scalars of a JSON text, or of something like it, by their path; what cannot be read is passed over."""
    levels, key = [_Level(-1, "")], ""
    key_start, waiting = 0, False
    for token in _TOKEN.finditer(content):
        text = token.group()
        if text in "{[":
            levels.append(_Level(0, key if waiting else "", said=[text]))
            waiting, key = False, ""
        elif text in "}]":
            if len(levels) > 1:
                levels.pop()
            waiting = False
        elif text == ":":
            waiting = True
        elif text == ",":
            waiting = False
        elif waiting:
            waiting = False
            if text not in _NOTHING:
                yield Given(_stated(levels, key, _plain(text)), key_start, token.end(), _FORM, BY_FORM)
                if key.lower() in _NAMING and levels[-1].called is None:
                    levels[-1].called = _plain(text)
        elif levels[-1].said == ["["] and levels[-1].name:
            yield Given(_listed(levels, text), token.start(), token.end(), _FORM, BY_FORM)
        else:
            key, key_start = _plain(text), token.start()
