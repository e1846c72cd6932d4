"""Packing: which memories go into the context, under which title, within a budget of tokens. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from ragpp.context import layout
from ragpp.context.quoting import end_of_lines
from ragpp.models import STANDING, Memory, MemoryKind
from ragpp.text.port import TokenMeter
from ragpp_services.gateway.assembly.excerpts import ELLIPSIS, beginning, is_long, start_of_excerpt
from ragpp_services.gateway.assembly.fusion import evidence
from ragpp_services.gateway.assembly.lines import Draft, Line, arranged, tokens_within
from ragpp_services.gateway.assembly.memory_key import MemoryKey, memory_key
from ragpp_services.gateway.assembly.telling import room_for_standing, says_nothing, standing

SHARES: Final[Mapping[str, float]] = {
    layout.RECENT: 0.30,
    layout.ENTITIES: 0.02,
    layout.RELATIONSHIPS: 0.05,
    layout.PREFERENCES: 0.06,
    layout.KNOWLEDGE: 0.12,
}
"""The largest share of the budget that a section may take while past interactions still want room; what a section
leaves is theirs, and what they leave is offered to the sections again. Of the default budget of 2,000 tokens they are
600, 40, 100, 120 and 240: some twenty messages, four names, eight relationships, ten preferences and twelve items.
Judgements, not fitted to anything; what they take from past interactions is column B1000 of `make eval`, in its rows
without a tier."""
RESTATED: Final = 0.03
"""The same for items that rest on past interactions, which say it themselves."""
ONE_SHARE: Final = 0.4
"""The largest share of the budget, without its frame, that a long past interaction may take as an excerpt."""
MIN_EXCERPT_TOKENS: Final = 24
"""Shorter than this, an excerpt of a long interaction says too little to be worth its line."""

_TITLE_OF: Final[Mapping[MemoryKind, str]] = {
    "summary": layout.RECENT,
    "message": layout.RECENT,
    "interaction": layout.PAST,
    "entity": layout.ENTITIES,
    "relationship": layout.RELATIONSHIPS,
    "preference": layout.PREFERENCES,
    "rule": layout.PREFERENCES,
    "finding": layout.PREFERENCES,
    "item": layout.KNOWLEDGE,
    "passage": layout.KNOWLEDGE,
}


@dataclass(frozen=True)
class Frame:
    """What the caller brings to the context: said first (persona) and last (tools, situation)."""

    persona: str | None = None
    tools: Sequence[str] = ()
    situation: str | None = None

    @property
    def characters(self) -> int:
        """Of all of it."""
        return len(self.persona or "") + sum(map(len, self.tools)) + len(self.situation or "")


@dataclass(frozen=True)
class Section:
    """A titled part of the context. `tokens` of its text with its heading; `memories` in the order shown."""

    title: str
    text: str
    tokens: int
    memories: tuple[Memory, ...] = ()

    @property
    def memory_ids(self) -> tuple[str, ...]:
        return tuple(memory.id for memory in self.memories)


@dataclass(frozen=True)
class Packed:
    """The assembled context. `tokens`: of it as a whole, at most the budget. `cut`: what of the ranking is not about
    the question, and why; whatever else is not shown had no room."""

    context: str
    tokens: int
    sections: tuple[Section, ...] = ()
    cut: Mapping[MemoryKey, str] = field(default_factory=dict)


def pack(
    ranking: Sequence[Memory],
    conversation: Sequence[Memory],
    frame: Frame,
    *,
    budget: int,
    counter: TokenMeter,
    cut: Mapping[MemoryKey, str] = MappingProxyType({}),
) -> Packed:
    """The context for `ranking` (fused, best first) and `conversation` (summary, then messages, oldest first).

    The caller's own frame is never cut by less than all of it: persona, then situation, then tools are taken while
    they fit. Of the conversation the latest messages stay. An interaction that is shown in the conversation is not
    shown again. A long one that does not fit, or takes more than its share, is shown as an excerpt of the part that was
    found. Past interactions of one day stand together, as they followed each other, and only the first of them has the
    date; days are in the order of their best. `cut`: what of the ranking is not shown, whatever room is left, and why.
    Relevance and confidence stand behind the lines when there is room for all of them. Same input, same output.

    Lines are counted one by one while they are chosen, and the finished context as a whole: where `counter` makes more
    of it than of its lines, brackets go first, then its last lines.
    """
    if budget <= 0:
        return Packed("", 0)
    frames = _frame_sections(frame, budget, counter)
    left = budget - sum(section.tokens for section in frames.values()) - len(frames)
    packing = _Packing(counter, left)
    packing.fill([memory for memory in ranking if memory_key(memory) not in cut], conversation)
    return replace(_within(budget, packing, frames, counter), cut=cut)


def _within(budget: int, packing: "_Packing", frames: dict[str, Section], counter: TokenMeter) -> Packed:
    """What was packed between the frames, as much of it as has room in one text."""
    bracketed = packing.has_room_for_brackets
    while True:
        sections = packing.sections(frames, bracketed=bracketed)
        context = "\n\n".join(section.text for section in sections)
        tokens = counter.count(context)
        if tokens <= budget:
            return Packed(context, tokens, sections)
        if bracketed:
            bracketed = False
        elif not packing.drop_last():
            frames.popitem()


def _frame_sections(frame: Frame, budget: int, counter: TokenMeter) -> dict[str, Section]:
    wanted = {
        layout.PERSONA: frame.persona,
        layout.SITUATION: frame.situation,
        layout.TOOLS: layout.items(frame.tools) if frame.tools else None,
    }
    taken: dict[str, Section] = {}
    for title, text in wanted.items():
        if text:
            whole = layout.section(title, text)
            tokens = tokens_within(whole, budget, counter)
            if tokens is not None:
                taken[title] = Section(title, whole, tokens)
                budget -= tokens
    return taken


class _Packing:
    """The drafts of the sections, by title, while room is left."""

    def __init__(self, counter: TokenMeter, room: int) -> None:
        self._counter, self._room, self._left = counter, room, room
        self._most = int(room * ONE_SHARE)
        self._drafts: dict[str, Draft] = {}
        self._known: dict[int, Line] = {}
        self._shown: set[MemoryKey] = set()
        self._said: dict[int, int] = {}

    def fill(self, ranking: Sequence[Memory], conversation: Sequence[Memory]) -> None:
        """Offer each section its share, then past interactions all that is left, then what they leave to the rest."""
        self._said = {id(memory): place for place, memory in enumerate((*ranking, *conversation))}
        groups: dict[str, list[Memory]] = {}
        restating: list[Memory] = []
        standing_room = room_for_standing(self._room) + self._heading(layout.PREFERENCES)
        self._take(layout.PREFERENCES, standing(ranking), min(self._left, standing_room))
        for memory in ranking:
            title = _TITLE_OF[memory.kind]
            if STANDING in memory.metadata or says_nothing(memory):
                continue
            if memory.kind == "item" and evidence(memory):
                restating.append(memory)
            elif title != layout.RECENT:
                groups.setdefault(title, []).append(memory)
        latest_first = [memory for memory in conversation if memory.kind == "summary"]
        latest_first += [memory for memory in reversed(conversation) if memory.kind == "message"]
        offers = [(layout.RECENT, latest_first, SHARES[layout.RECENT])]
        offers += [(title, groups.get(title, []), SHARES[title]) for title in _KNOWLEDGE_ORDER]
        offers.append((layout.KNOWLEDGE, restating, RESTATED))
        for title, memories, share in offers:
            self._take(title, memories, min(self._left, int(self._room * share)))
        self._take(layout.PAST, groups.get(layout.PAST, []), self._left)
        for title, memories, _ in offers:
            self._take(title, memories, self._left, cuts_passages=True)

    @property
    def has_room_for_brackets(self) -> bool:
        """Whether all of them fit."""
        return sum(line.bracket_tokens for draft in self._drafts.values() for line in draft.lines) <= self._left

    def drop_last(self) -> bool:
        """Leave out the line that stands last; False where there is none."""
        for title in reversed(layout.TITLES):
            if title in self._drafts:
                last = arranged(title, self._drafts[title].lines, self._said)[-1]
                kept = tuple(line for line in self._drafts[title].lines if line is not last)
                if kept:
                    self._drafts[title] = Draft(kept)
                else:
                    del self._drafts[title]
                return True
        return False

    def sections(self, frames: Mapping[str, Section], *, bracketed: bool) -> tuple[Section, ...]:
        """The sections in their order."""
        sections = []
        for title in layout.TITLES:
            if title in frames:
                sections.append(frames[title])
            elif title in self._drafts:
                sections.append(self._section(title, bracketed=bracketed))
        return tuple(sections)

    def _section(self, title: str, *, bracketed: bool) -> Section:
        lines = arranged(title, self._drafts[title].lines, self._said)
        texts, day = [layout.heading(title)], ""
        for line in lines:
            fresh = bool(line.day) and line.day != day
            texts.append(line.head + (line.day if fresh else "") + line.rest + (line.bracket if bracketed else ""))
            day = line.day or day
        text = "\n".join(texts)
        return Section(title, text, self._counter.count(text), tuple(line.memory for line in lines))

    def _take(self, title: str, memories: Sequence[Memory], room: int, *, cuts_passages: bool = False) -> None:
        """Add to a section what fits into `room`, its heading included when it is new; a passage that does not fit is
        cut only where nothing else wants room."""
        draft = self._drafts.get(title, Draft())
        days = set(draft.days)
        used = 0 if draft.lines else self._heading(title)
        added: list[Line] = []
        for memory in memories:
            key = memory_key(memory)
            if key in self._shown:
                continue
            most = room - used
            if title == layout.PAST and is_long(memory):
                most = min(most, self._most)
            line = self._line(memory, most)
            if (line is None or line.cost(days) > most) and (memory.kind != "passage" or cuts_passages):
                line = self._excerpt(memory, most)
            if line is not None and line.cost(days) <= most:
                added.append(line)
                used += line.cost(days)
                days.add(line.day)
                self._shown.add(key)
        if added:
            self._drafts[title] = Draft((*draft.lines, *added))
            self._left -= used

    def _heading(self, title: str) -> int:
        """What the heading of a section costs."""
        return self._counter.count(f"{layout.heading(title)}\n\n")

    def _line(self, memory: Memory, most: int) -> Line | None:
        """The whole line; None where it surely has more than `most` tokens."""
        known = self._known.get(id(memory))
        if known is not None:
            return known
        if most <= 0 or end_of_lines(memory.text, most + 1) < len(memory.text):  # the mark of each line is a token
            return None
        count, around = self._counter.count, layout.around(memory)
        rest = "".join(around.rest) + layout.data(memory)
        tokens = tokens_within(f"{around.head}{rest}\n", most, self._counter)
        if tokens is None:
            return None
        line = Line(
            memory, around.head, around.day, rest, tokens, count(around.day), around.bracket, count(around.bracket)
        )
        self._known[id(memory)] = line
        return line

    def _excerpt(self, memory: Memory, room: int) -> Line | None:
        """As much as `room` tokens hold of the part that was found of a long interaction, or of a passage; None when it
        is not worth its line."""
        if room < MIN_EXCERPT_TOKENS or not (memory.kind == "passage" or (memory.kind in _CUT and is_long(memory))):
            return None
        count, around = self._counter.count, layout.around(memory)
        start = start_of_excerpt(memory, room)
        before = "".join(around.rest) + (ELLIPSIS.lstrip() + " " if start else "")
        left = room - sum(map(count, (around.head, around.day, before, "\n")))
        alone = layout.stands_alone(memory)
        cut = beginning(memory.text[start:].strip(), left, self._counter, alone=alone) if left > 0 else ""
        tokens = count(f"{around.head}{before}{cut}\n")
        bracket = around.bracket, count(around.bracket)
        return Line(memory, around.head, around.day, before + cut, tokens, count(around.day), *bracket) if cut else None


_KNOWLEDGE_ORDER: Final = (layout.ENTITIES, layout.RELATIONSHIPS, layout.PREFERENCES, layout.KNOWLEDGE)
_CUT: Final[frozenset[str]] = frozenset({"interaction", "message", "summary"})
