"""A resource is read for what it states and can be checked, each fact so that it stands alone."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.extraction import FactMention, ResourceType, Turn
from ragpp.extraction.facts import contradicts, read_facts
from tests.support.extractor import untrained

SAID_AT = datetime(2025, 3, 12, tzinfo=UTC)
EXTRACTOR = untrained()
TYPES: tuple[ResourceType, ...] = ("conversation", "document", "config", "feedback")
PRICING = """
    User: What's your pricing?
    Agent: We have three plans - Basic at $99/month, Pro at $299/month,
           and Enterprise with custom pricing.
    User: What's included in Pro?
    Agent: Pro includes unlimited users, advanced analytics, API access,
           and priority support.
    """


def read(content: str, resource_type: ResourceType, messages: Sequence[Turn] = ()) -> list[FactMention]:
    return read_facts(content, resource_type, extractor=EXTRACTOR, said_at=SAID_AT, messages=messages)


def texts(content: str, resource_type: ResourceType) -> list[str]:
    return [fact.text for fact in read(content, resource_type)]


def test_a_list_of_plans_gives_a_fact_each_that_stands_alone() -> None:
    assert texts(PRICING, "conversation") == [
        "The Basic plan is at $99/month",
        "The Pro plan is at $299/month",
        "The Enterprise plan has custom pricing",
        "Pro includes unlimited users, advanced analytics, API access, and priority support",
    ]


def test_a_fact_of_a_conversation_knows_who_said_it_in_which_message_and_where() -> None:
    fact = read(PRICING, "conversation")[3]
    assert (fact.speaker, fact.said) == ("Agent", 3)
    assert PRICING[fact.start : fact.end].startswith("Pro includes unlimited users")
    assert PRICING[fact.start : fact.end].endswith("priority support.")


def test_who_speaks_is_named_and_so_is_what_a_pronoun_stands_for() -> None:
    content = (
        "Ben: I moved to Porto in May. My flat is in Rua Nova. It costs 950 euros a month.\nAna: I work in Lisbon."
    )
    assert texts(content, "conversation") == [
        "Ben moved to Porto in May",
        "Ben's flat is in Rua Nova",
        "Ben's flat costs 950 euros a month",
        "Ana works in Lisbon",
    ]


def test_known_messages_go_before_lines_with_names() -> None:
    content = "I moved to Porto in May.I work in Lisbon."
    turns = [Turn(0, 24, "Ben"), Turn(24, len(content), "Ana")]
    found = read(content, "conversation", turns)
    assert [(fact.text, fact.said) for fact in found] == [("Ben moved to Porto in May", 0), ("Ana works in Lisbon", 1)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Hi Ben, how are you?",
        "Is the office in Porto?",
        "Thanks a lot for your help!",
        "Maybe we could meet in Porto on Friday.",
        "If I get the job in Leeds, I'll move there.",
        "I think the new design looks great.",
        "Let me know by Friday.",
        "Please send the report to Ana by 5 pm.",
        "I'd love to see Lisbon one day.",
        "The interface is very nice.",
        "Tunde asked if dogs are allowed in house 4.",
        "Hilde thinks that the fence in Leeds is too low.",
        "Wouldn't take the 8:15 train again unless it gets cheaper.",
    ],
)
def test_what_states_nothing_that_can_be_checked_is_left_out(sentence: str) -> None:
    assert texts(f"Ana: {sentence}", "conversation") == []
    assert texts(sentence, "feedback") == []


def test_a_denial_states_something() -> None:
    assert texts("Ana: I don't eat meat any more.", "conversation") == ["Ana doesn't eat meat any more"]


def test_the_finding_of_a_sentence_gives_the_kind_and_the_time() -> None:
    decision, plan = read("Ana: We decided to use Postgres. I'm going to visit Leeds on 3 April.", "conversation")
    assert (decision.kind, decision.when) == ("decision", None)
    assert plan.kind == "plan"
    assert plan.when is not None
    assert plan.when.start == datetime(2025, 4, 3, tzinfo=UTC)


def test_an_item_of_a_document_stands_alone_by_its_headings_or_by_the_words_before_the_list() -> None:
    content = (
        "# Acme\n\n## Pricing\n\n- Basic: $99/month\n\n## Pro\n\nThe Pro plan includes:\n\n- API access\n- 50 seats\n"
    )
    assert texts(content, "document") == [
        "Acme, Pricing: Basic is $99/month",
        "The Pro plan includes API access",
        "The Pro plan includes 50 seats",
    ]


def test_a_heading_stands_before_a_statement_that_only_points_at_what_it_is_of() -> None:
    content = (
        "# Studio plan (since June)\n\nThe trial lasts 30 days. Support answers within 4 hours. "
        "The next price change is in 2027.\n"
    )
    assert texts(content, "document") == [
        "Studio plan: The trial lasts 30 days",
        "Support answers within 4 hours",
        "The next price change is in 2027",
    ]


def test_a_question_stands_before_an_answer_that_is_nothing_without_it() -> None:
    content = (
        "Ana: What's your pricing?\nBen: The basic plan costs $99 a month.\n"
        "Ana: How many people are in your team?\nBen: Twenty-three.\n"
    )
    assert texts(content, "conversation") == [
        "The basic plan costs $99 a month",
        "How many people are in Ben's team? Twenty-three",
    ]


def test_the_words_that_an_item_begins_with_as_a_title_are_no_fact() -> None:
    content = "# Minutes\n\n1. Water. The pump broke on 2 March.\n2. Any other business. The gate is locked at 22:00.\n"
    assert texts(content, "document") == ["Minutes: The pump broke on 2 March", "Minutes: The gate is locked at 22:00"]


def test_steps_of_instructions_are_orders_and_no_facts() -> None:
    content = "1. Rinse the rice for 2 minutes.\n2. Scan the code of box 7.\n3. Descale the kettle every 30 days.\n"
    assert texts(content, "document") == []


def test_a_setting_that_was_commented_out_is_not_set() -> None:
    content = "[climate]\nnight_temp = 17\n; night_temp = 15   (old, plants suffered)\n"
    assert texts(content, "config") == ["night_temp of climate is 17"]


def test_the_first_line_of_a_paragraph_that_ends_in_no_mark_is_its_heading_and_no_fact() -> None:
    stated = "The lamp blinks twice and goes out\nThe cell holds 300 mAh. It lasts two weeks."
    assert texts(f"Some words.\n\n{stated}\n\nThe kettle holds two litres.", "document") == [
        "The lamp blinks twice and goes out: The cell holds 300 mAh",
        "The lamp blinks twice and goes out: The cell lasts two weeks",
        "The kettle holds two litres",
    ]


def test_only_the_first_line_of_a_paragraph_is_its_heading() -> None:
    lines = "The lamp blinks twice\nThe cell holds 300 mAh\nThe kettle holds two litres.\n"
    assert texts(lines, "document") == [
        "The lamp blinks twice: The cell holds 300 mAh",
        "The lamp blinks twice: The kettle holds two litres",
    ]


@pytest.mark.parametrize(
    ("content", "stated"),
    [
        (
            "A kettle costs 39 euros. You can return it within 14 days.",
            ["A kettle costs 39 euros", "You can return the kettle within 14 days"],
        ),
        (
            "If a table is taken, leave your number; we ring you when a seat is free and keep it for 2 hours.",
            ["We ring you when a seat is free and keep it for 2 hours"],
        ),
        (
            "Old coats are kept at the door for 30 days and then given to the town's museum.",
            ["Old coats are kept at the door for 30 days", "Old coats are then given to the town's museum"],
        ),
        (
            "When the jug is full, the kettle stops. It beeps 5 times.",
            ["When the jug is full, the kettle stops", "The kettle beeps 5 times"],
        ),
        (
            "## It smells of fish\n\nThat happens when 2 cups were left in it.",
            ["It smells of fish: That happens when 2 cups were left in it"],
        ),
    ],
)
def test_a_fact_reads_as_a_sentence_whatever_it_leaves_to_another(content: str, stated: list[str]) -> None:
    assert texts(content, "document") == stated


def test_what_is_said_differently_under_two_headings_stands_behind_its_own_and_contradicts_nothing() -> None:
    plans = "# Plans\n\n## Studio\n\nSupport answers within four hours.\n\n## Solo\n\n{}\n"
    facts = texts(plans.format("Support answers within two days."), "document")
    assert facts == ["Studio: Support answers within four hours", "Solo: Support answers within two days"]
    assert not contradicts(*facts)
    assert texts(plans.format("Invoices come by e-mail."), "document")[0] == "Support answers within four hours"


def test_each_cell_of_a_table_is_a_fact_of_its_row_and_column() -> None:
    content = "| Plan | Price | SSO |\n|---|---|---|\n| Basic | $99 | no |\n| Pro | $299 | yes |\n"
    assert texts(content, "document") == [
        "Price of Basic (plan) is $99",
        "Basic (plan): SSO is not included",
        "Price of Pro (plan) is $299",
        "Pro (plan): SSO is included",
    ]


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        ("agents:\n  sales:\n    max_tokens: 2000\n", ["max_tokens of agents.sales is 2000"]),
        ('{"agents": {"sales": {"max_tokens": 2000}}}', ["max_tokens of agents.sales is 2000"]),
        ("[agents.sales]\nmax_tokens = 2000  # a reply\n", ["max_tokens of agents.sales is 2000 (a reply)"]),
        ("export MAX_TOKENS=2000\n# TODO: raise it to 4000\n", ["MAX_TOKENS is 2000"]),
        ("tools:\n- search\n- email\n", ["tools includes search", "tools includes email"]),
        ("# Backups are kept for 35 days\ndebug: null\n", ["Backups are kept for 35 days"]),
    ],
)
def test_each_setting_is_a_fact_with_its_path(content: str, facts: list[str]) -> None:
    assert texts(content, "config") == facts


def test_a_configuration_is_of_what_its_first_comment_says_unless_comments_name_its_parts() -> None:
    assert texts("# ferry-api, staging\nservice: ferry-api\ndatabase:\n  pool_size: 15\n", "config") == [
        "service of ferry-api, staging is ferry-api",
        "pool_size of database of ferry-api, staging is 15",
    ]
    assert texts("# Database\nDB_PORT=5432\n# Cache\nCACHE_PORT=6379\n", "config") == [
        "DB_PORT is 5432",
        "CACHE_PORT is 6379",
    ]


def test_running_text_between_settings_is_read_and_orders_are_not_facts() -> None:
    content = """name: Brook
instructions: |
  You speak for the ferry office.
  Be brief.
  Changes after 18:00 have to be approved by Marta Ruiz.
language: Spanish
"""
    assert texts(content, "config") == [
        "name is Brook",
        "You speak for the ferry office",
        "Changes after 18:00 have to be approved by Marta Ruiz",
        "language of Brook is Spanish",
    ]


@pytest.mark.parametrize(
    ("sentence", "facts"),
    [
        (
            "The kiosk is open daily; in winter it closes at 5, in summer at 9.",
            ["The kiosk is open daily", "In winter the kiosk closes at 5", "The kiosk closes in summer at 9"],
        ),
        ("The pool opens at 7, on Sundays at 9.", ["The pool opens at 7", "The pool opens on Sundays at 9"]),
        (
            "Our flour comes from Albi, our salt from Vannes.",
            ["Our flour comes from Albi", "our salt comes from Vannes"],
        ),
        (
            "The Hearth 1 handles 32 sensors, the Hearth 2 up to 96.",
            ["The Hearth 1 handles 32 sensors", "the Hearth 2 handles up to 96"],
        ),
        (
            "The basic plan stays at 19 euros with 3 seats and 60 requests per minute.",
            ["The basic plan stays at 19 euros with 3 seats and 60 requests per minute"],
        ),
        ("Wifi works at 20 Mbit/s. Coffee is 2.80.", ["Wifi works at 20 Mbit/s", "Coffee is 2.80"]),
        ("It was agreed to move the fence by 4 metres.", ["It was agreed to move the fence by 4 metres"]),
        ("The gate is locked, Fiadh has the key.", ["The gate is locked", "Fiadh has the key"]),
        (
            "The boiler, which was installed in 2011, loses pressure every week.",
            ["The boiler was installed in 2011", "The boiler loses pressure every week"],
        ),
        ("Rosa left Leeds in March and works in Porto now.", ["Rosa left Leeds in March", "Rosa works in Porto now"]),
        ("Breakfast is served on the terrace by the lake.", ["Breakfast is served on the terrace by the lake"]),
    ],
)
def test_each_part_of_a_sentence_that_states_something_is_a_fact_of_its_own(sentence: str, facts: list[str]) -> None:
    assert [text.lower() for text in texts(sentence, "document")] == [fact.lower() for fact in facts]


def test_who_plays_a_part_and_gives_a_name_is_called_by_it() -> None:
    content = "Customer: Hello, this is Solveig Aas from Nordhus.\nCustomer: My gate closes at 15:30."
    assert texts(content, "conversation") == [
        "The customer is Solveig Aas from Nordhus",
        "Solveig Aas's gate closes at 15:30",
    ]


def test_each_review_is_of_whoever_is_named_beside_its_rating_or_signs_it() -> None:
    content = "5/5, Benedek: I have used it since May.\n\nI waited 9 days for the parcel.\n– Yusuf\n"
    first, second = texts(content, "feedback")
    assert "Benedek has used it" in first
    assert "Yusuf waited 9 days" in second


def test_a_plain_answer_stands_behind_what_was_asked() -> None:
    assert texts("Ana: Do you ship to Norway?\nBen: No, we don't.", "conversation") == [
        "Do Ben ship to Norway? No, Ben doesn't"
    ]
    assert texts("Ana: Can you hear me?\nBen: Yes.", "conversation") == []


@pytest.mark.parametrize("line", ["listen 443 ssl;", "--listen 443", "<listen>443</listen>", "listen => 443"])
def test_a_setting_is_read_in_whatever_form_it_is_written(line: str) -> None:
    (fact,) = texts(f"{line}\n", "config")
    assert fact.startswith("listen is 443")


def test_feedback_of_many_is_read_within_its_quotation_marks() -> None:
    content = """Survey of the crew

1. "There is only one kettle for 30 people."
2. "all fine"
“The night ferry left Bastia 40 minutes late.”
"""
    found = read(content, "feedback")
    assert [content[fact.start : fact.end] for fact in found] == [
        "There is only one kettle for 30 people.",
        "The night ferry left Bastia 40 minutes late.",
    ]


@given(st.text(max_size=400), st.sampled_from(TYPES))
def test_any_text_can_be_read_and_each_fact_is_said_somewhere_in_it(content: str, resource_type: ResourceType) -> None:
    for fact in read(content, resource_type):
        assert fact.text
        assert 0 <= fact.start < fact.end <= len(content)
        assert 0 < fact.confidence <= 1


@given(
    st.lists(
        st.sampled_from(["Ana: ", "\n", "- ", "| ", "# ", "  ", "a: 1", "It is 5. ", "**", "`", "[", "{", '"', ","])
    )
)
def test_any_form_can_be_read(pieces: list[str]) -> None:
    content = "".join(pieces)
    for resource_type in TYPES:
        for fact in read(content, resource_type):
            assert 0 <= fact.start < fact.end <= len(content)
