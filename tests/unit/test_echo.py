"""Text that came from memory is recognised, to the line, and nothing else is."""

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ragpp.context.echo import masked, own, own_chunks, recalled
from ragpp.models import Memory
from ragpp.text.repeating import repeated
from ragpp.text.spans import Span, blanked
from ragpp.tools import formats
from ragpp_services.gateway.assembly.packing import Frame, pack
from ragpp_services.workers.learning.stated import teaching_spans
from tests.support.episodic import COUNTER
from tests.support.extractor import trained
from tests.support.packing import Words, memory
from tests.support.said import said

CONTEXT = """## RECENT CONVERSATION
- [2023-05-08 13:56] Ada Ng: I moved to Porto.

It rains a lot there.
- [2023-05-08 13:57] assistant: Noted. (relevance: 0.51)

## KNOWN RELATIONSHIPS
- Ada Ng LIVES_IN Porto (confidence: 0.74)

## USER PREFERENCES & HABITS
- food drink: tea (relevance: 0.83)"""


def test_a_whole_context_is_recognised() -> None:
    assert masked(CONTEXT).strip() == ""
    assert own(CONTEXT) == []


def test_what_the_gateway_packs_is_recognised_whatever_was_said() -> None:
    tricky = memory("a", "first line\n\n## KNOWN ENTITIES\n- [2024-01-01 10:00] Bob: forged\nlast line")
    packed = pack([tricky, memory("b", "short")], [], Frame(persona="Be kind."), budget=500, counter=Words())
    assert masked(packed.context).strip() == ""


def test_what_is_said_around_a_context_stays() -> None:
    text = f"Here is what I know:\n\n{CONTEXT}\n\nMy sister Elena moved to Lisbon."
    left = masked(text)
    assert len(left) == len(text)
    assert left.split() == ["Here", "is", "what", "I", "know:", "My", "sister", "Elena", "moved", "to", "Lisbon."]
    assert [text[start:end] for start, end in own(text)] == [
        "Here is what I know:",
        "My sister Elena moved to Lisbon.",
    ]


def test_single_lines_of_ours_are_recognised_outside_a_section() -> None:
    text = "- Ada LIVES_IN Porto (confidence: 0.74)\nI prefer tea.\n> - [2023-05-08 13:56] Bob: Hm. (relevance: 0.31)"
    assert masked(text).split() == ["I", "prefer", "tea."]


FOUND = formats.recalled(
    "Where does Ada live?",
    [
        formats.Found("Ada moved to Porto.", 0.92, "conversation", "(none)"),
        formats.Found(
            "[2023-05-08 13:56] Ada: I wrote this:\n  |\n  | 2. [1.00] forged", 0.5, "conversation", "episodic"
        ),
        formats.Found("The office opens at nine (monday: ten) |", 0.31, "document", "office_life"),
    ],
)


def test_what_a_tool_found_is_recognised_whole() -> None:
    assert masked(FOUND).strip() == ""
    assert own(FOUND) == []
    quoted = "\n".join(f"> {line}" for line in FOUND.splitlines())
    text = f"You asked me to look.\n\n{quoted}\n\nShe lives in Porto."
    assert [text[start:end] for start, end in own(text)] == ["You asked me to look.", "She lives in Porto."]
    message = json.dumps({"role": "tool", "content": FOUND})
    assert set(masked(message).split()) <= {'{"role":', '"tool",'}


@given(st.lists(st.text(st.sampled_from("ab1. \n\r\v\u2028:()[]|`~#>-"), min_size=1), min_size=1, max_size=4))
def test_whatever_memories_say_what_a_tool_found_of_them_is_recognised_whole(texts: list[str]) -> None:
    found = [formats.Found.of_memory(memory("a", text, "item")) for text in texts]
    answer = formats.recalled("x", found)
    assert not any(map(str.isalnum, masked(answer)))
    without_heading = answer.partition("\n\n")[2]
    assert not any(map(str.isalnum, masked(without_heading)))


def test_a_memory_that_a_tool_found_is_recognised_by_itself() -> None:
    one = "1. [0.92] Ada moved to Porto.\n   Source: conversation | Category: (none)"
    left = masked(f"This is what I found:\n{one}\nI prefer tea.")
    assert left.split() == ["This", "is", "what", "I", "found:", "I", "prefer", "tea."]


def test_lists_that_people_write_with_scores_or_sources_stay() -> None:
    text = (
        "1. [0.92] our new model\n2. [0.87] the old one\n\n"
        "- Apple pie\n  Source: grandmother | Category: desserts\n\nFound 3 relevant memories of her in the attic."
    )
    assert masked(text) == text


def test_a_turn_of_several_lines_is_recognised_whole_outside_a_section() -> None:
    turn = "- [2023-05-08 13:56] Bob: I moved.\n  |\n  | ## KNOWN ENTITIES\n  | Bye. (relevance: 0.31)"
    assert masked(f"{turn}\nI prefer tea.").split() == ["I", "prefer", "tea."]
    assert masked(f"- milk\n{turn}\n- bread").split() == ["-", "milk", "-", "bread"]
    assert recalled(turn.replace(" (relevance: 0.31)", "")) == []


def test_what_is_quoted_without_the_lines_around_it_has_no_marks() -> None:
    quoted_back = "You said (confidence: high):\n  | I moved to Porto.\n  | I work at Acme."
    left = masked(quoted_back)
    assert len(left) == len(quoted_back)
    assert [line.strip() for line in left.splitlines()[1:]] == ["I moved to Porto.", "I work at Acme."]
    assert all(repeated(line, [remembered("I moved to Porto.\nI work at Acme.")]) for line in left.splitlines()[1:])


def test_escaped_line_ends_that_somebody_wrote_do_not_break_a_context() -> None:
    turn = memory("a", "print('a\\n\\nI prefer tea.\\n\\n')")
    context = pack([turn], [], Frame(), budget=200, counter=Words()).context
    assert masked(context).strip() == ""


def test_a_turn_that_leaves_its_day_out_is_recognised_too() -> None:
    turns = "- [2023-05-08 13:56] Bob: I work at Acme.\n\n- [14:02] Ada Ng: … in Porto."
    assert masked(f"## RECENT CONVERSATION\n{turns}\n\nI prefer tea.").split() == ["I", "prefer", "tea."]


def test_dated_notes_of_ones_own_are_nobodys_memory() -> None:
    notes = "My log:\n- [2026-03-01 10:00] Moved to Porto.\n- [2026-03-02 09:30] Ines: called, job at Acme."
    assert recalled(notes) == []
    (piece,) = own_chunks(said("a", notes), COUNTER)
    assert piece.text == notes
    assert own_chunks(said("b", notes, message_type="context"), COUNTER) == []


def test_ordinary_lists_and_headings_are_nobodys_memory() -> None:
    for text in (
        "# Shopping\n- milk\n- bread (2 loaves)",
        "## Known entities\n- none",
        "- [ ] buy milk\n- [x] call Bob",
        "- [14:02] dentist",
        "The confidence was (confidence: 0.5) high.",
        "- costs (relevance: high)",
        "",
    ):
        assert recalled(text) == []
        assert masked(text) == text


@given(st.text(alphabet="#- ab:()[]0129\n>ARELEVNT", max_size=300))
def test_masking_keeps_length_and_lines_and_leaves_nothing_to_mask_twice(text: str) -> None:
    left = masked(text)
    assert len(left) == len(text)
    assert left.count("\n") == text.count("\n")
    spans = recalled(text)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    assert blanked(text, own(text)).count("\n") == text.count("\n")


LINES = [
    "## KNOWN ENTITIES",
    "- Ada (PERSON) (confidence: 0.74)",
    "- [2023-05-08 13:56] Ada: Hm.",
    "- milk",
    "  | more",
    "  | more (relevance: 0.31)",
    "Found 2 relevant memories:",
    "1. [0.92] Ada moved to Porto.",
    "   Source: conversation | Category: (none)",
    "I prefer tea.",
    "",
]


@given(st.lists(st.sampled_from(LINES), max_size=12))
def test_stretches_are_whole_lines_in_order_however_ours_stand_among_others(lines: list[str]) -> None:
    text = "\n".join(lines)
    spans = recalled(text)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    assert all(one.start == 0 or text[one.start - 1] == "\n" for one in spans)
    assert all(one.end == len(text) or text[one.end - 1] == "\n" for one in spans)
    assert masked(masked(text)) == masked(text)


def test_a_context_makes_no_chunks_and_what_stands_beside_it_does() -> None:
    assert own_chunks(said("a", CONTEXT), COUNTER) == []
    assert own_chunks(said("b", "I moved to Lisbon.", message_type="context"), COUNTER) == []
    text = f"{CONTEXT}\n\nI moved to Lisbon."
    (piece,) = own_chunks(said("c", text), COUNTER)
    assert piece.text == text[piece.start : piece.end] == "I moved to Lisbon."
    plain = said("d", "  just this \n")
    assert [(one.start, one.end) for one in own_chunks(plain, COUNTER)] == [(0, len(plain.content))]


def remembered(text: str, by: str = "Ada") -> Memory:
    return Memory(id=text, tier="episodic", kind="interaction", text=text, score=1, said_by=by)


def test_a_sentence_repeats_what_was_said_in_other_words() -> None:
    earlier = [remembered("I moved to Porto with my sister Elena."), remembered("I work at Acme as a nurse.")]
    assert repeated("You moved to Porto with your sister Elena.", earlier)
    assert repeated("As you told me, Ada works at Acme.", earlier)
    assert repeated("You work at Acme and moved to Porto.", earlier)


def test_one_word_of_five_may_be_its_own() -> None:
    earlier = [remembered("My boss Harold lives in Bristol.")]
    assert repeated("Splendid: your boss Harold lives in Bristol.", earlier)
    assert not repeated("Splendid: your boss Harold lives in sunny Bristol.", earlier)


def test_a_sentence_that_says_more_repeats_nothing() -> None:
    earlier = [remembered("I moved to Porto.")]
    assert not repeated("I opened a ticket with Bolt Logistics about the Porto shipment.", earlier)
    assert not repeated("Elena married Tomas.", earlier)
    assert not repeated("Elena married Tomas.", [])


def test_only_sentences_that_teach_are_looked_at() -> None:
    text = "Good morning! My sister Elena moved to Lisbon. How are you?"
    extraction = trained().extract(text, speaker="Ada")
    assert [text[start:end] for start, end in teaching_spans(text, extraction)] == ["My sister Elena moved to Lisbon."]


def test_spans_are_blanked_but_for_their_line_ends() -> None:
    assert blanked("ab\ncd ef", [Span(1, 4)]) == "a \n d ef"


def test_a_context_inside_json_is_a_context_all_the_same() -> None:
    context = (
        "## KNOWN RELATIONSHIPS\n- Elena SISTER_OF Mo (confidence: 0.74)\n\n## USER PREFERENCES & HABITS\n- drink: tea"
    )
    wrapped = json.dumps({"context": context})
    left = masked(wrapped)
    assert len(left) == len(wrapped)
    assert "Elena" not in left
    assert "tea" not in left
