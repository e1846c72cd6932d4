"""Packing: which memories go into the context, under which title, within a budget of tokens. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from ragpp.context import layout
from ragpp.models import Memory, MemoryKind
from ragpp.text.port import TokenMeter, tokens_within
from ragpp_services.gateway.assembly.excerpts import ONE_SHARE, is_long
from ragpp_services.gateway.assembly.fusion import evidence
from ragpp_services.gateway.assembly.informative import room_for_standing, standing, why_not_offered
from ragpp_services.gateway.assembly.lines import Draft, Line, arranged, within
from ragpp_services.gateway.assembly.making import LineMaker
from ragpp_services.gateway.assembly.memory_key import MemoryKey, memory_key

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
Judgements, not fitted to anything; the rows of `make eval` without a tier show what they take."""
RESTATED: Final = 0.03
"""The same for items that rest on past interactions, which say it themselves."""
WHOLE_SHARE: Final = 0.25
"""The room of past interactions in which the best are whole; behind it they are first offered room for
their parts, which lose most where an answer is likeliest. `docs/evaluation.md` has what it was chosen on and gains."""
_KNOWLEDGE_ORDER: Final = (layout.ENTITIES, layout.RELATIONSHIPS, layout.PREFERENCES, layout.KNOWLEDGE)
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
    """The caller's own part of the context: said first (persona) and last (tools, situation)."""

    persona: str | None = None
    tools: Sequence[str] = ()
    situation: str | None = None

    @property
    def characters(self) -> int:
        """The characters of all of it."""
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
        return tuple([memory.id for memory in self.memories])


@dataclass(frozen=True)
class Packed:
    """The assembled context. `tokens`: of it as a whole, at most the budget. `cut`: what of the ranking is not about
    the question, or tells nothing by itself, and why; whatever else is not shown had no room."""

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
    in_parts: bool = True,
) -> Packed:
    """The context for `ranking` (fused, best first) and `conversation` (summary, then messages, oldest first).

    The caller's own frame is never cut by less than all of it: persona, then situation, then tools are taken while
    they fit. Of the conversation the latest messages stay. An interaction that is shown in the conversation is not
    shown again. Behind the best, past interactions are first offered room for the part of them that answers, unless
    `in_parts` is false, and then, best first, for all of it: what all fits is shown whole. A long one that does not
    fit, or takes more than its share, is shown as an excerpt from that part on. Past interactions of one day stand
    together, as they followed each other, and only the first of them has the date; days are in the order of their best.
    `cut`: what of the ranking is not shown, whatever room is left, and why. Relevance and confidence stand behind the
    lines when there is room for all of them. Same input, same output.

    Lines are counted one by one while they are chosen, and the finished context as a whole: where `counter` makes more
    of it than of its lines, brackets go first, then its last lines.
    """
    if budget <= 0:
        return Packed("", 0)
    frames = _frame_sections(frame, budget, counter)
    left = budget - sum(section.tokens for section in frames.values()) - len(frames)
    packing = _Packing(counter, left, in_parts=in_parts)
    packing.fill(ranking, conversation, cut)
    return replace(_within(budget, packing, frames, counter), cut={**packing.idle, **cut})


def _within(budget: int, packing: "_Packing", frames: dict[str, Section], counter: TokenMeter) -> Packed:
    """The packed lines between the frames, as much of all as has room in one text."""
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

    def __init__(self, counter: TokenMeter, room: int, *, in_parts: bool) -> None:
        self._counter, self._room, self._left, self._in_parts = counter, room, room, in_parts
        self._most = int(room * ONE_SHARE)
        self._drafts, self._lines = dict[str, Draft](), LineMaker(counter)
        self._shown, self.idle = set[MemoryKey](), dict[MemoryKey, str]()
        self._said, self._keys = dict[int, int](), dict[int, MemoryKey]()

    def fill(self, ranking: Sequence[Memory], conversation: Sequence[Memory], cut: Mapping[MemoryKey, str]) -> None:
        """Offer each section its share of what is not `cut`, then past interactions all that is left, then what they
        leave to the rest."""
        self._keys = {id(memory): memory_key(memory) for memory in (*ranking, *conversation)}
        ranking = [memory for memory in ranking if self._keys[id(memory)] not in cut]
        self._said = {id(memory): place for place, memory in enumerate((*ranking, *conversation))}
        groups, restating = dict[str, list[Memory]](), list[Memory]()
        standing_room = room_for_standing(self._room, self._heading(layout.PREFERENCES))
        self._take(layout.PREFERENCES, standing(ranking), min(self._left, standing_room))
        for memory in ranking:
            title = _TITLE_OF[memory.kind]
            if (why := why_not_offered(memory)) is not None:
                self.idle[self._keys[id(memory)]] = why
            elif memory.kind == "item" and evidence(memory):
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
        self._take_past(groups.get(layout.PAST, []))
        for title, memories, _ in offers:
            self._take(title, memories, self._left, cuts_passages=True)

    @property
    def has_room_for_brackets(self) -> bool:
        """True where all of them fit."""
        return sum([line.bracket_tokens for draft in self._drafts.values() for line in draft.lines]) <= self._left

    def drop_last(self) -> bool:
        """Leave out the line that stands last; False where there is none."""
        for title in reversed(layout.TITLES):
            if title in self._drafts:
                last = arranged(title, self._drafts[title].lines, self._said)[-1]
                kept = tuple(line for line in self._drafts[title].lines if line is not last)
                if kept:
                    self._drafts[title] = Draft.of(kept)
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
        return Section(title, text, self._counter.count(text), tuple([line.memory for line in lines]))

    def _take(self, title: str, memories: Sequence[Memory], room: int, *, cuts_passages: bool = False) -> None:
        """Add to a section what fits into `room`, its heading included when it is new; a passage that does not fit is
        cut only where nothing else wants room."""
        self._add(title, self._fitting(title, memories, room, cuts_passages=cuts_passages))

    def _take_past(self, memories: Sequence[Memory]) -> None:
        """Add past interactions: as their parts that answer, and then, best first, whole while there is room."""
        lines = self._fitting(layout.PAST, memories, self._left, in_parts=self._in_parts)
        if self._in_parts:
            left = self._left - self._cost(layout.PAST, lines)
            for place, line in enumerate(lines):
                if not line.is_whole:
                    lines[place] = longer = self._longer(line, left)
                    left -= longer.tokens - line.tokens
        self._add(layout.PAST, lines)

    def _fitting(
        self, title: str, memories: Sequence[Memory], room: int, *, cuts_passages: bool = False, in_parts: bool = False
    ) -> list[Line]:
        """Lines for those of `memories` that fit; `in_parts`: behind those that take the first WHOLE_SHARE of the room,
        and of a long one, as the part that answers."""
        draft = self._drafts.get(title, Draft())
        days, shown = set(draft.days), set(self._shown)
        used = 0 if draft.lines else self._heading(title)
        lines: list[Line] = []
        for memory in memories:
            most = room - used
            if most <= 0:
                break
            if self._keys[id(memory)] in shown:
                continue
            if title == layout.PAST and is_long(memory):
                most = min(most, self._most)
            as_part = in_parts and (used > room * WHOLE_SHARE or is_long(memory))
            line = within(most, self._lines.part(memory, most), days) if as_part else None
            line = line or within(most, self._lines.whole(memory, most), days)
            if line is None and in_parts and not as_part:
                line = within(most, self._lines.part(memory, most), days)
            if line is None and (memory.kind != "passage" or cuts_passages):
                line = within(most, self._lines.excerpt(memory, most), days)
            if line is not None:
                lines.append(line)
                used += line.cost(days)
                days.add(line.day)
                shown.add(self._keys[id(memory)])
        return lines

    def _longer(self, line: Line, left: int) -> Line:
        """The same memory with as much more of its text as `left` further tokens hold."""
        long = is_long(line.memory)
        most = max(line.tokens, min(line.tokens + left, self._most - line.day_tokens)) if long else line.tokens + left
        longer = self._lines.whole(line.memory, most)
        if long and (longer is None or longer.tokens > most):
            longer = self._lines.excerpt(line.memory, most + line.day_tokens)
        return longer if longer is not None and line.tokens < longer.tokens <= most else line

    def _cost(self, title: str, lines: Sequence[Line]) -> int:
        """Tokens that `lines` add to a section, with its heading when it is new."""
        draft = self._drafts.get(title, Draft())
        days = {line.day: line.day_tokens for line in lines if line.day not in draft.days}
        heading = 0 if draft.lines else self._heading(title)
        return heading + sum([line.tokens for line in lines]) + sum(days.values())

    def _add(self, title: str, lines: Sequence[Line]) -> None:
        if lines:
            self._left -= self._cost(title, lines)
            self._drafts[title] = Draft.of((*self._drafts.get(title, Draft()).lines, *lines))
            self._shown.update([self._keys[id(line.memory)] for line in lines])

    def _heading(self, title: str) -> int:
        """The tokens of a section's heading."""
        return self._lines.tokens_of(f"{layout.heading(title)}\n\n")
