"""An agent's memories as a file (document 001, "Storage Schema"): read line by line, also where it is broken."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from json import JSONDecodeError, JSONDecoder
from typing import Final

from pydantic import JsonValue

_LOOKED_BACK: Final = 200
"""Characters before something that are looked at for what it is a part of."""
VERSION: Final = "1.0.0"
"""The version of the format."""
GLOBAL: Final = "global"
"""The name in the file of what all agents see."""
_MEMORIES: Final = "memories"
_STATISTICS: Final = "statistics"
_TOTAL: Final = "total_memories"
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_FIRST_KEY: Final = re.compile(r'\{[ \t\n\r]*"(?:memory_id|id|timestamp|ci|ci_source|type|summary|content)"[ \t\n\r]*:')
"""How a memory begins, wherever one is looked for behind what is broken."""
_CI_NAME: Final = "ci_name"
_BESIDE: Final = {
    _CI_NAME: re.compile(r'(?<!\\)"ci_name"[ \t\n\r]*:[ \t\n\r]*(?=["n])'),
    _STATISTICS: re.compile(r'(?<!\\)"statistics"[ \t\n\r]*:[ \t\n\r]*(?=\{)'),
}
"""Fields that are looked for where they were not read for what is broken before them. None of them is a memory's, and
in a text the quotation mark is escaped."""
_LIST: Final = re.compile(r'"memories"[ \t\n\r]*:[ \t\n\r]*\Z')
_DECODER: Final = JSONDecoder()
_NO_BYTES: Final = re.compile("[\udc80-\udcff]")
"""The characters that `surrogateescape` makes of bytes that are no UTF-8."""


@dataclass(frozen=True, slots=True)
class FileProblem:
    """A part of a file that cannot be read, at which line, counted from 1; of a memory whose id is known with that."""

    line: int
    reason: str
    memory_id: str | None = None


@dataclass(frozen=True, slots=True)
class FileMemory:
    """One memory as it stands in a file, from that line on."""

    line: int
    fields: Mapping[str, JsonValue]

    @property
    def memory_id(self) -> str | None:
        """The memory's id in the file, in either spelling."""
        named = self.fields.get("memory_id", self.fields.get("id"))
        return named if isinstance(named, str) else None


@dataclass(slots=True)
class MemoryFile:
    """The parts of a file: its other fields in `header`, its memories in their order, and what could not be read."""

    header: dict[str, JsonValue] = field(default_factory=dict)
    memories: list[FileMemory] = field(default_factory=list)
    problems: list[FileProblem] = field(default_factory=list)

    @property
    def ci_name(self) -> str | None:
        """Whose it is: an agent's, or GLOBAL, of what all see. None where it does not say so, or not so that it can be
        read."""
        if _CI_NAME not in self.header:
            return None
        name = self.header[_CI_NAME]
        return GLOBAL if name is None else name if isinstance(name, str) and name else None

    @property
    def missing(self) -> int:
        """How many memories its statistics tell of that were not read; 0 where they tell nothing."""
        told = self.header.get(_STATISTICS)
        total = told.get(_TOTAL) if isinstance(told, dict) else None
        return max(0, total - len(self.memories)) if isinstance(total, int) else 0


def read_file(data: bytes) -> MemoryFile:
    """All that can be read of a file: each memory by itself, so that a broken one takes no other with it. What is
    broken is a problem with its line: a memory that is no JSON, bytes that are no UTF-8, a field behind or before them,
    a file that ends too early. Never raises."""
    text = data.decode("utf-8-sig", errors="surrogateescape")
    return _Reader(text).read()


class _Broken(Exception):
    """Something at `place` that cannot be read; `resume`: from where on memories may follow."""

    def __init__(self, place: int, reason: str, resume: int) -> None:
        super().__init__(reason)
        self.place, self.reason, self.resume = place, reason, resume


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._file = MemoryFile()
        self._listed = False
        self._counted, self._lines = 0, 1

    def read(self) -> MemoryFile:
        try:
            self._object(self._past(0))
        except _Broken as broken:
            self._problem(broken.place, broken.reason)
            following = None if self._listed else self._looked_for(broken.resume)
            if following is not None:  # a field is broken: the memories are read wherever they are
                self._elements(following)
        if self._file.problems:
            self._read_beside()
        return self._file

    def _read_beside(self) -> None:
        """Whose the file is, and how many memories there should be, wherever that stands."""
        for name, pattern in _BESIDE.items():
            found = None if name in self._file.header else pattern.search(self._text)
            if found is not None:
                with suppress(_Broken):
                    self._file.header[name], _ = self._value(found.end())

    def _object(self, place: int) -> None:
        if self._at(place) != "{":
            raise _Broken(place, "is no JSON object, which begins with {", place)
        place = self._past(place + 1)
        while self._at(place) != "}":
            after = self._field(place)
            if after is None:
                return
            place = self._past(after)
            mark = self._at(place)
            if mark == ",":
                place = self._past(place + 1)
            elif mark != "}":
                reason = "has no , between two fields" if mark else "the file ends within its fields"
                raise _Broken(place, reason, place)
        if not self._listed:
            self._problem(0, "has no list `memories`, so it is no file of an agent's memories")
        place = self._past(place + 1)
        if place < len(self._text):
            raise _Broken(place, "there is something behind the end of the file's object", place)

    def _field(self, place: int) -> int | None:
        """Read one field; the place behind it, None where the memories in it have no end."""
        name, after = self._value(place)
        after = self._past(after)
        if not isinstance(name, str) or self._at(after) != ":":
            raise _Broken(place, "is no field of an object", place)
        begun = self._past(after + 1)
        if name == _MEMORIES and self._at(begun) == "[":
            self._listed = True
            return self._elements(begun + 1)
        self._file.header[name], after = self._value(begun)
        return after

    def _value(self, place: int) -> tuple[JsonValue, int]:
        try:
            return _DECODER.raw_decode(self._text, place)
        except JSONDecodeError as error:
            what = error.msg.removesuffix(" starting at").removesuffix(" at")
            reason = f"is no JSON: {what[:1].lower()}{what[1:]} at character {error.colno}"
            raise _Broken(error.pos, reason, place) from error
        except ValueError as error:  # an integer of more digits than Python reads
            raise _Broken(place, "has a number that is too long", place) from error
        except RecursionError as error:
            raise _Broken(place, "is nested too deep", place) from error

    def _elements(self, place: int) -> int | None:
        """Read memories; the place behind their list, None where it has no end."""
        place = self._past(place)
        if self._at(place) == "]":
            return place + 1
        while True:
            line = self._line(place)
            try:
                value, after = self._value(place)
            except _Broken as broken:
                self._file.problems.append(FileProblem(line, self._within(broken.place, line, broken.reason)))
                following = self._looked_for(place + 1)
                if following is None:
                    return None
                place = following
                continue
            begun, place = place, self._past(after)
            mark = self._at(place)
            if mark == ":":  # a field, and the memory that it is of has no beginning
                self._file.problems.append(FileProblem(line, "has no { before its fields"))
                following = self._looked_for(place)
                if following is None:
                    return None
                place = following
                continue
            self._take(line, value, self._text[begun:after])
            if mark == "]":
                return place + 1
            if mark == ",":
                place = self._past(place + 1)
                continue
            if mark == "":
                self._problem(place, "the file ends within its memories")
                return None
            self._problem(place, "there is no , between two memories")
            following = self._looked_for(place)
            if following is None:
                return None
            place = following

    def _take(self, line: int, value: JsonValue, written: str) -> None:
        if not isinstance(value, dict):
            self._file.problems.append(FileProblem(line, "is no memory, which is an object"))
            return
        memory = FileMemory(line, value)
        if _NO_BYTES.search(written):
            self._file.problems.append(FileProblem(line, "has bytes that are no UTF-8", memory.memory_id))
            return
        self._file.memories.append(memory)

    def _looked_for(self, place: int) -> int | None:
        """Where the next memory begins, from `place` on, whole or broken: not where a part of one does."""
        for found in _FIRST_KEY.finditer(self._text, place):
            if self._may_begin(found.start()):
                return found.start()
        return None

    def _may_begin(self, place: int) -> bool:
        """True where what begins there is no value of a field, and, if it is whole, says something."""
        before = self._text[max(0, place - _LOOKED_BACK) : place].rstrip()
        if before.endswith(":") or (before.endswith("[") and not _LIST.search(before[:-1].rstrip()) and self._listed):
            return False
        try:
            value, _ = self._value(place)
        except _Broken:
            return True
        return isinstance(value, dict) and "content" in value

    def _past(self, place: int) -> int:
        found = _SPACE.match(self._text, place)
        return place if found is None else found.end()

    def _at(self, place: int) -> str:
        return self._text[place : place + 1]

    def _line(self, place: int) -> int:
        """The line of a place; places are asked for in their order, so that no text is counted twice."""
        if place < self._counted:
            return self._text.count("\n", 0, place) + 1
        self._lines += self._text.count("\n", self._counted, place)
        self._counted = place
        return self._lines

    def _within(self, place: int, begun: int, reason: str) -> str:
        line = begun + self._text.count("\n", self._counted, place)
        return reason if line == begun else f"{reason}, at line {line}"

    def _problem(self, place: int, reason: str) -> None:
        self._file.problems.append(FileProblem(self._line(min(place, len(self._text))), reason))


def written(header: Mapping[str, JsonValue], memories: Iterator[Mapping[str, JsonValue]]) -> Iterator[str]:
    """The text of a file, in pieces: two spaces a level, a memory's fields a line each, which `read_file` reads back
    equal."""
    fields = {name: value for name, value in header.items() if name not in {_MEMORIES, _STATISTICS}}
    yield "{\n"
    for name, value in fields.items():
        yield f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)},\n"
    yield f'  "{_MEMORIES}": ['
    first = True
    for memory in memories:
        text = json.dumps(memory, ensure_ascii=False, indent=2).replace("\n", "\n    ")
        yield f"{'' if first else ','}\n    {text}"
        first = False
    yield "\n  ]" if not first else "]"
    if _STATISTICS in header:
        yield f',\n  "{_STATISTICS}": {json.dumps(header[_STATISTICS], ensure_ascii=False)}'
    yield "\n}\n"
