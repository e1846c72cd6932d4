"""The new part of an agent's answer: what repeats a memory of its turn is not learned as something that it said."""

from hypothesis import given
from hypothesis import strategies as st

from ragpp.entries.unrepeated import LEFT_OUT, unrepeated
from tests.support.each import each_case

QUEUE = "We decided to use Kafka 3.7 for the orders queue."
FAILED = "The nightly import failed, since the certificate of the mail server had expired."
CARTS = "We decided to use Redis 8 for the carts."


@each_case(
    "answer",
    [
        QUEUE,
        f"I have learned: {QUEUE}",
        "Kafka 3.7.",
        "As I remember, you decided on Kafka 3.7 for the orders.",
        f"I have learned: {QUEUE} I have learned: {FAILED}",
    ],
)
def test_what_says_nothing_beyond_the_memories_is_left_out(answer: str) -> None:
    assert unrepeated(answer, [QUEUE, FAILED]) == LEFT_OUT


@each_case(
    "answer",
    [
        "We decided to use Kafka 4.0 for the orders queue.",
        "We decided to use Pulsar for the orders queue.",
        "We decided not to use Kafka 3.7 for the orders queue.",
        "I set the retention of the orders queue to nine days.",
        "We decided to use Redis 8 for the orders queue.",
        "For the orders queue Kafka 3.7 is what others use.",
    ],
)
def test_what_has_a_word_number_or_denial_of_its_own_is_kept(answer: str) -> None:
    assert unrepeated(answer, [QUEUE, CARTS]) == answer


REVERSED = (
    ("The import does not run on Sundays.", "The import runs on Sundays."),
    ("We decided not to use Kafka for the orders.", "We decided to use Kafka for the orders."),
    ("The import doesn't run on Sundays.", "The import runs on Sundays."),
    ("Anna owes Ben 5 pounds.", "Ben owes Anna 5 pounds."),
    ("We moved the orders from Kafka to Redis.", "We moved the orders from Redis to Kafka."),
)


@each_case(("memory", "answer"), [*REVERSED, *((answer, memory) for memory, answer in REVERSED)])
def test_what_an_answer_reverses_is_new(memory: str, answer: str) -> None:
    assert unrepeated(answer, [memory]) == answer
    assert unrepeated(memory, [memory]) == LEFT_OUT


def test_the_new_sentences_of_an_answer_stay_between_what_is_left_out() -> None:
    answer = f"{QUEUE}\nThe retention is nine days. {QUEUE} {QUEUE}"
    assert unrepeated(answer, [QUEUE]) == f"{LEFT_OUT}\nThe retention is nine days. {LEFT_OUT}"


def test_where_nothing_was_given_nothing_is_repeated() -> None:
    assert unrepeated(QUEUE, []) == QUEUE


@given(answer=st.text(max_size=200), memories=st.lists(st.text(max_size=100), max_size=3))
def test_of_any_answer_something_is_left_and_nothing_is_added(answer: str, memories: list[str]) -> None:
    kept = unrepeated(answer, memories)
    assert bool(kept) == bool(answer)
    assert set(kept) <= set(answer) | {LEFT_OUT}
