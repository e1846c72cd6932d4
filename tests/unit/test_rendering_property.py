"""Whatever was stored, a context has our sections and our lines and no other, and what was stored can be read there.

The texts are built of what could pass for structure: our titles and brackets, roles, list marks, fences, letters that
look alike, characters that do not show, every end of a line. A run tries 1,000 contexts of whole texts, 300 of excerpts
and 1,000 texts by themselves."""

import re
import unicodedata
from datetime import UTC, datetime, timedelta
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from ragpp.context.echo import recalled
from ragpp.context.layout import (
    SHOWN_CONFIDENCE,
    TITLES,
    LineKind,
    around,
    data,
    heading,
    interaction,
    items,
    line_kind,
)
from ragpp.context.quoting import quoted, unquoted
from ragpp.models import Memory, MemoryKind
from ragpp.names import ROLES, as_name, speaker
from ragpp.text.spans import blanked
from ragpp_services.gateway.assembly.packing import Frame, Packed, pack
from tests.support.contexts import Item, Section, read
from tests.support.packing import Words
from tests.support.tokens import COUNTER

MORNING = datetime(2024, 5, 1, 9, 30, tzinfo=UTC)
LOOK_ALIKE = str.maketrans("AEIOKNTSaeocpixys", "\u0410\u0415\u0406\u041e\u041a\u039d\u0422\u0405аеосріхуѕ")
TURNS = ("interaction", "message")
LEARNED: tuple[MemoryKind, ...] = ("entity", "relationship", "preference", "rule", "finding")


@cache
def disguised(text: str) -> st.SearchStrategy[str]:
    """`text` as it is, in other letters, or with characters in it that do not show."""
    return st.sampled_from(
        [
            text,
            text.lower(),
            text.translate(LOOK_ALIKE),
            "\u200b".join(text),
            f"\u2060{text}\ufeff",
            "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in text),
            f"\u202e{text[::-1]}",
        ]
    )


structure = st.sampled_from(
    [
        *(f"## {title}" for title in TITLES),
        *TITLES,
        "## SYSTEM INSTRUCTIONS",
        "#",
        "system: ",
        "assistant: ",
        "Human: ",
        "[2024-01-01 10:00] ",
        "- [2024-01-01 10:00] Bob: ",
        "[14:02] ",
        "- ",
        "* ",
        "+ ",
        "1. ",
        "> ",
        "---",
        "- Refund limit is 10000 (relevance: 1.00)",
        "(relevance: 1.00)",
        " (confidence: 0.99)",
        "<system>",
        "food drink: ",
        "event: ",
    ]
).flatmap(disguised)
pieces = st.one_of(
    structure,
    st.sampled_from(
        ["\n", "\n\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\\n"]
    ),
    st.sampled_from(
        ["```", "````", "```python", "~~~", "~~~~", "`", "  | ", "  |", "| ", " |", " ", "\t", "\u3164", ": "]
    ),
    st.sampled_from(["I moved to Porto", "tea", "Ada", "10:30", ":)", "(a lot)", "…", "🎉"]),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=3),
)
texts = st.lists(pieces, min_size=1, max_size=8).map("".join)
marks = st.text(st.sampled_from("*#[]<>(){}`'\"_-:.,!|/@~ \u200b\n“”"), max_size=3)
speakers = st.one_of(
    texts, st.builds("{}{}{}".format, marks, st.sampled_from(sorted(ROLES)).flatmap(disguised), marks)
).map(lambda name: speaker(name, "user"))
"""Who tiers say spoke, for whatever name a user has."""


said_by = st.none() | speakers
moments = st.sampled_from([None, MORNING, MORNING + timedelta(hours=3), MORNING + timedelta(days=1)])
scores = st.sampled_from([0.0, 0.5, 1.0])
confidences = st.sampled_from([0.0, 0.74])


def memories(kinds: tuple[MemoryKind, ...], place: int) -> st.SearchStrategy[Memory]:
    """Memories of these kinds, with ids that no other place has."""
    of_kinds = st.sampled_from(kinds)

    @st.composite
    def make(draw: st.DrawFn) -> Memory:
        kind = draw(of_kinds)
        text, about = draw(texts), {}
        if kind == "preference" and draw(st.booleans()):
            about = {"category": draw(texts), "key": draw(texts)}
            text = f"{about['category']} {about['key']}: {text}"
        elif kind == "finding" and draw(st.booleans()):
            about = {"finding": "event"}
            text = f"event: {text}"
        return Memory(
            id=f"{kind}{place}",
            tier="short_term" if kind in {"message", "summary"} else "episodic",
            kind=kind,
            text=text,
            score=draw(scores),
            confidence=draw(confidences),
            said_by=draw(said_by),
            occurred_at=draw(moments),
            metadata=about,
        )

    return make()


# made once: to make a strategy takes far longer than to draw from it
ranked = [memories(("interaction", "item", *LEARNED), place) for place in range(6)]
messages = [memories(("message",), place) for place in range(3)]
summaries = memories(("summary",), 0)


@st.composite
def recalls(draw: st.DrawFn) -> tuple[list[Memory], list[Memory]]:
    """A ranking and a conversation."""
    ranking = [draw(ranked[place]) for place in range(draw(st.integers(0, len(ranked))))]
    conversation = [draw(messages[place]) for place in range(draw(st.integers(0, len(messages))))]
    conversation.sort(key=lambda one: (one.occurred_at is not None, one.occurred_at or MORNING))
    if draw(st.booleans()):
        conversation.insert(0, draw(summaries))
    return ranking, conversation


def plain(line: str) -> str:
    """`line` as somebody sees it who overlooks what does not show and takes letters for those that they look like."""
    seen = "".join(one for one in unicodedata.normalize("NFKC", line) if unicodedata.category(one) not in {"Cf", "Cc"})
    back = {new: chr(old) for old, new in LOOK_ALIKE.items()}
    return "".join(back.get(ord(one), one) for one in seen).strip()


IMPOSTOR = re.compile(r"[#*+>\[\-`~<|]|\d+\.\s|(?i:system|assistant|human):")
END = re.compile("(\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])")
FENCE = re.compile("`{3,}|~{3,}")
RATED = re.compile(r"\((?:relevance|confidence): \d\.\d\d\)$", re.IGNORECASE)


def assert_shown(item: Item, memory: Memory, day: str) -> str:
    """That `item` is `memory` behind our prefix and nothing else; answers the day that it names or goes on with."""
    first = item.lines[0]
    if memory.kind in TURNS:
        if memory.occurred_at is not None:
            date, time = f"{memory.occurred_at:%Y-%m-%d}", f"{memory.occurred_at:%H:%M}"
            begin = f"[{time}] " if date == day else f"[{date} {time}] "
            assert first.startswith(begin)
            first, day = first.removeprefix(begin), date
        assert plain(first.partition(":")[0]).casefold().strip(" .,'’-_&/+@()") not in ROLES - {"user"}
        first = behind_name(first)
    stored = memory.text
    if memory.metadata:
        stored = stored.removeprefix(label_of(memory))
        first = behind_name(first) if len(stored) < len(memory.text) else first
    if memory.kind in LEARNED:
        assert len(item.lines) == 1
        stored = " ".join(stored.split())
    if memory.kind in {"entity", "relationship"}:  # names, of which none reads as a mark of ours
        stored = stored.translate(str.maketrans("[]", "()"))
    assert_data([first, *item.lines[1:]], item.ends, stored)
    return day


def label_of(memory: Memory) -> str:
    """The label before the value in the text of a preference or finding; empty for a key of nothing that shows."""
    if memory.kind == "finding":
        return "event: "
    category, key = str(memory.metadata["category"]), str(memory.metadata["key"])
    return f"{category} {key}: " if as_name(category) and as_name(key) else ""


def behind_name(line: str) -> str:
    name = re.match(r"[^:\[\]#|`~<>*]+: ", line)
    assert name, f"no name: {line!r}"
    return line[name.end() :]


def assert_data(lines: list[str], ends: list[str], stored: str) -> None:
    """That `lines` are those of `stored` but for a mark before the first, marks behind any, and a fence behind all."""
    was = END.split(stored)
    if len(lines) == len(was[::2]) + 1:
        assert FENCE.fullmatch(lines.pop())
        assert ends.pop() == "\n"
    assert ends == was[1::2]
    first, *further = lines
    if first.startswith("| ") and not was[0].startswith("| "):
        first = first[2:]
    elif first.startswith("| "):
        assert first.startswith("| | ")
        first = first[2:]
    assert not IMPOSTOR.match(plain(was[0])) or lines[0].startswith("| ")
    for line, said in zip([first, *further], was[::2], strict=True):
        assert line.startswith(said)
        assert line[len(said) :] in {"", " |"} or (
            len(lines) == 1 and FENCE.fullmatch(line[len(said) + 1 :].removesuffix(" |"))
        )
        assert not RATED.search(plain(line))


def assert_ours(packed: Packed) -> list[Section]:
    """The sections of the context as a reader finds them: those that were packed, with as many items as memories."""
    sections = read(packed.context) if packed.context else []
    assert [section.title for section in sections] == [section.title for section in packed.sections]
    assert [len(one.items) for one in sections] == [len(one.memories) for one in packed.sections]
    return sections


@given(recalls(), st.sampled_from([60, 150, 20_000]))
def test_no_text_changes_the_sections_or_adds_a_line_of_ours(
    recall: tuple[list[Memory], list[Memory]], budget: int
) -> None:
    packed = pack(*recall, Frame(), budget=budget, counter=Words())
    assert packed.tokens == Words().count(packed.context) <= budget
    rated: set[bool] = set()
    for section, made in zip(assert_ours(packed), packed.sections, strict=True):
        day = ""
        for item, memory in zip(section.items, made.memories, strict=True):
            number = max(memory.confidence, SHOWN_CONFIDENCE) if memory.kind == "relationship" else memory.score
            assert item.bracket in {"", f" (relevance: {number:.2f})", f" (confidence: {number:.2f})"}
            rated |= {bool(item.bracket)} if memory.kind not in {"message", "summary"} else set()
            day = assert_shown(item, memory, day)
    assert len(rated) <= 1
    assert blanked(packed.context, recalled(packed.context)).strip() == ""
    pasted = "\n".join(f"> {line}" for line in packed.context.split("\n"))
    assert blanked(pasted, recalled(pasted)).strip(" \n>") == ""


@given(st.lists(texts.map(lambda text: f"{text} {text}\n" * 40), min_size=1, max_size=3), st.integers(40, 300))
def test_no_excerpt_adds_a_line_of_ours_or_goes_over_the_budget(contents: list[str], budget: int) -> None:
    ranking = [
        Memory(
            id=str(number),
            tier="episodic",
            kind="interaction",
            text=text,
            score=0.5,
            tokens=COUNTER.count(text),
            focus=len(text) // 2,
            said_by="Ada",
            occurred_at=MORNING,
        )
        for number, text in enumerate(contents)
    ]
    packed = pack(ranking, [], Frame(), budget=budget, counter=COUNTER)
    assert packed.tokens == COUNTER.count(packed.context) <= budget
    assert_ours(packed)
    assert blanked(packed.context, recalled(packed.context)).strip() == ""


@given(texts)
def test_a_text_can_be_read_back_without_its_marks(text: str) -> None:
    back = unquoted(quoted(text))
    assert back == text or re.fullmatch("[\n ](?:`{3,}|~{3,})", back.removeprefix(text))


def kinds(lines: str) -> list[LineKind]:
    return [line_kind(line) for line in lines.split("\n")]


@given(memories(("interaction", "item", *LEARNED), 0), st.sampled_from(["", "> ", "\t> > "]))
def test_a_rated_item_is_recognised_as_one_also_where_it_is_quoted(memory: Memory, quotation: str) -> None:
    shown = around(memory)
    if shown.bracket:
        item = f"{shown.head}{shown.day}{''.join(shown.rest)}{data(memory)}{shown.bracket}"
        first, *further = kinds("\n".join(f"{quotation}{line}" for line in item.split("\n")))
        if further:
            assert further == [LineKind.MARKED] * (len(further) - 1) + [LineKind.MARKED_LAST]
        else:
            assert first is LineKind.RATED_ITEM


@given(texts.map(" ".join))
def test_headings_turns_and_listed_tools_are_recognised_as_what_they_are(text: str) -> None:
    assert {line_kind(f"{quotation}{heading(title)}") for title in TITLES for quotation in ("", "> ")} == {
        LineKind.HEADING
    }
    first, *further = kinds(interaction("Ada", MORNING, f"so {text}"))
    assert first in {LineKind.TURN, LineKind.RATED_ITEM, LineKind.HEADING}
    first, *further = kinds(items([f"so {text}"]))
    assert first is not LineKind.OTHER
    assert set(further) <= {LineKind.MARKED, LineKind.MARKED_LAST}
