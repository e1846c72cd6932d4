"""Standing instructions become rules; those that cannot both be followed are found, and the weaker gives way."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from ragpp.learned import LEARNED_RULE
from ragpp.models import Interaction, Rule
from ragpp_services.workers.learning.behaviour import RuleDraft, rules_told
from ragpp_services.workers.learning.conflicts import conflicts_of
from ragpp_services.workers.learning.instructions import Instruction, instructions_of
from tests.support import values
from tests.support.said import MONTH, said


def rules(*texts: str) -> list[str]:
    return [draft.text for draft in drafts(*texts)]


def drafts(*texts: str) -> list[RuleDraft]:
    return rules_told(instructions_of([said(f"m{n}", text, day=n) for n, text in enumerate(texts, start=1)]))


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Please always answer in French.", "Answer in French."),
        ("From now on, keep your answers short.", "Keep your answers short."),
        ("Use metric units from now on, please.", "Use metric units."),
        ("Never use emojis!", "Do not use emojis."),
        ("I'm 5'11\". Never use emojis! My screen is 27\" wide.", "Do not use emojis."),
        ("I don`t like it. Never use emojis! It`s childish.", "Do not use emojis."),
        ("Again, no bullet points.", "Do not use bullet points."),
        ("I told you to cite your sources.", "Cite your sources."),
        ("When I ask for code, leave out the explanations.", "When I ask for code: leave out the explanations."),
        ("Could you keep your answers under 80 words from now on?", "Keep your answers under 80 words."),
        ("I'd like you to always name your sources.", "Name your sources."),
        ("It would be great if you used British spelling.", "Use British spelling."),
        ("You don't have to repeat my question every time.", "Do not repeat my question."),
        ("please stop apologising all the time, it makes me nervous", "Avoid apologising."),
        ("Before you run a command, show it to me.", "Before you run a command: show it to me."),
        ("For every trip we plan, leave the afternoons free.", "For every trip we plan: leave the afternoons free."),
        ("And as I forget it myself: whenever you tell a time, add the zone.", "When you tell a time: add the zone."),
        ("A rule for all our chats: one question at a time.", "One question at a time."),
        ("Sort them by date. Please stick to that.", "Sort them by date."),
        ("Every worksheet must have large headings.", "Let every worksheet have large headings."),
        ("Make sure that every mail ends with my name.", "Make sure that every mail ends with my name."),
    ],
)
def test_a_standing_instruction_is_a_rule_at_once(text: str, rule: str) -> None:
    assert rules(text) == [rule]


@pytest.mark.parametrize(
    "text",
    [
        "No bullet points.",
        "Show me the sales.",
        "Don't answer yet.",
        "I always answer my mail at night.",
        "She said to always use French.",
        "Should you always answer in French?",
        "Don't worry about it.",
        "If I were you, I'd always keep notes.",
        "When we arrived, the hotel was closed.",
        "In future I will take the train.",
        "Every week I have to see the doctor.",
        "My teacher's motto is always speak German, never translate.",
        "Would you always take the train?",
        "Can you help me with this?",
        "If there's a better way, however small it is.",
        "He never answers before noon.",
        "Traffic in Lisbon is terrible all the time.",
        "Anna calls me every time.",
        "Dinner is at seven from now on.",
        "Porto is lovely. Remember that!",
        "Things to remember:\n- Passport expires in June",
        'Never "mate", it\'s rude.',
        'Stop "that", it\'s annoying.',
    ],
)
def test_what_is_no_standing_instruction_is_no_rule(text: str) -> None:
    assert rules(text) == []


def test_a_list_below_a_line_that_says_so_is_of_rules() -> None:
    text = "House rules for you:\n1. Answer in English.\n2. Don't use tables.\n- cite your sources\n\nWhat's the time?"
    assert set(rules(text)) == {"Answer in English.", "Do not use tables.", "Cite your sources."}
    assert rules("Shopping list:\n- cite your sources\n- use metric units") == []


def test_what_has_to_be_said_again_becomes_a_rule_that_gains_by_it() -> None:
    (twice,) = drafts("No bullet points please.", "Skip the bullet points.")
    assert twice.text == "Do not use bullet points."
    assert twice.sources == ("m1", "m2")
    (thrice,) = drafts("No bullet points please.", "Skip the bullet points.", "Without bullet points")
    assert thrice.priority == twice.priority + 1
    assert thrice.id == twice.id


def heard(*texts: str, doubted: Sequence[int] = ()) -> list[Instruction]:
    """The instructions of texts, those of the numbers in `doubted` not said plainly."""
    told = instructions_of([said(f"m{n}", text, day=n) for n, text in enumerate(texts, start=1)])
    return [replace(one, plain=False) if int(one.source[1:]) in doubted else one for one in told]


def test_a_rule_that_nobody_said_plainly_is_only_proposed() -> None:
    (doubtful,) = rules_told(heard("Please always answer in French.", doubted=[1]))
    (plain,) = rules_told(heard("Please always answer in French."))
    assert (doubtful.proposed, plain.proposed) == (True, False)
    assert doubtful.id == plain.id


@pytest.mark.parametrize("doubted", [1, 2])
def test_one_plain_instruction_makes_a_rule_in_its_own_words(doubted: int) -> None:
    (draft,) = rules_told(heard("Always cite your sources.", "From now on, cite the sources.", doubted=[doubted]))
    assert not draft.proposed
    assert draft.text == ("Cite the sources." if doubted == 1 else "Cite your sources.")
    assert set(draft.sources) == {"m1", "m2"}


def test_a_rule_names_what_was_said_plainly_among_however_many_doubts() -> None:
    asked = [said(f"m{n}", "Always cite your sources.", day=1, hour=n // 60, minute=n % 60) for n in range(80)]
    told = [replace(one, plain=one.source == "m79") for one in instructions_of(asked)]
    (draft,) = rules_told(told)
    assert not draft.proposed
    assert "m79" in draft.sources


@pytest.mark.parametrize(
    ("text", "triggers"),
    [
        ("Whenever I mention the budget, show the figures in euros.", {"mention budget", "budget"}),
        ("If I mention the gym, remind me to stretch first.", {"mention gym", "gym"}),
        ("When I paste logs, point out errors.", {"paste logs", "logs"}),
        ("Whenever I cook, remind me of the timer.", {"cook"}),
    ],
)
def test_the_things_of_a_situation_call_a_rule_up_and_what_is_done_with_them_does_not(
    text: str, triggers: set[str]
) -> None:
    (draft,) = drafts(text)
    assert set(draft.triggers) == triggers


def test_a_rule_has_the_words_that_it_says_to_use() -> None:
    (draft,) = drafts("When you write emails for me, always sign them with 'Best, Ines'.")
    assert draft.text == 'When you write emails for me: sign them with "Best, Ines".'


def test_people_give_each_other_advice_and_no_rules() -> None:
    items = [said("a", "Always use sunscreen!", name="Ann"), said("b", "Ha, will do.", name="Bob")]
    assert instructions_of(items) == []


def test_an_assistants_words_are_no_instructions() -> None:
    items: list[Interaction] = [said("a", "Always use sunscreen!", role="assistant"), said("b", "Thanks.")]
    assert instructions_of(items) == []


def rule(identifier: str, text: str, *, day: int = 0, triggers: tuple[str, ...] = (), learned: bool = True) -> Rule:
    whole = f"{LEARNED_RULE if learned else ''}{identifier}"
    return values.rule(MONTH + timedelta(days=day), text, id=whole, triggers=triggers)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use bullet points.", "Do not use bullet points."),
        ("Keep answers short.", "Give long answers."),
        ("Answer in French.", "Always reply in German."),
        ("Use metric units.", "Use imperial units."),
        ("Call me Bo.", "Call me Dr. Ng."),
    ],
)
def test_opposites_conflict_and_the_later_stays(one: str, other: str) -> None:
    rules = [rule("a", one), rule("b", other, day=3)]
    (conflict,) = conflicts_of(rules, {}, {})
    assert (conflict.kept_id, conflict.aside_id) == (rules[1].id, rules[0].id)
    assert rules[1].text in conflict.reason
    assert "later (2024-03-04)" in conflict.reason
    (reversed_,) = conflicts_of(rules, {rules[0].id: MONTH + timedelta(days=9)}, {})
    assert reversed_.aside_id == rules[1].id


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use bullet points.", "Do not use emojis."),
        ("Answer in French.", "Answer in short sentences."),
        ("Keep answers short.", "Do not write long answers."),
        ("Use metric units.", "Cite your sources."),
    ],
)
def test_rules_that_can_both_be_followed_do_not_conflict(one: str, other: str) -> None:
    found = conflicts_of([rule("a", one), rule("b", other, day=3)], {}, {})
    assert found == []


def test_a_rule_for_a_situation_is_an_exception_and_no_conflict() -> None:
    always, sometimes = rule("a", "Use bullet points."), rule("b", "Do not use bullet points.", triggers=("letters",))
    assert conflicts_of([always, sometimes], {}, {}) == []
    again = rule("c", "Use bullet points.", triggers=("letters",), day=1)
    assert len(conflicts_of([sometimes, again], {}, {})) == 1


def test_what_a_person_wrote_stays() -> None:
    written, learned = rule("a", "Use bullet points.", learned=False), rule("b", "Do not use bullet points.", day=5)
    (conflict,) = conflicts_of([written, learned], {}, {})
    assert conflict.kept_id == written.id


def test_what_is_only_proposed_is_in_nobodys_way() -> None:
    proposed = rule("b", "Do not use bullet points.", day=5).model_copy(update={"active": False, "proposed": True})
    assert conflicts_of([rule("a", "Use bullet points."), proposed], {}, {}) == []


def test_a_rule_that_gave_way_takes_no_other_with_it() -> None:
    rules = [
        rule("a", "Answer in French.", day=3),
        rule("b", "Answer in German.", day=2),
        rule("c", "Answer in Dutch."),
    ]
    conflicts = conflicts_of(rules, {}, {})
    assert {conflict.aside_id for conflict in conflicts} == {rules[1].id, rules[2].id}
    assert {conflict.kept_id for conflict in conflicts} == {rules[0].id}
