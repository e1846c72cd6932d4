"""Repairs: a message that puts right what its speaker said right before."""

import numpy as np

from ragpp_services.episodic.ranking import CandidateTable
from ragpp_services.episodic.ranking.following import followed_by, puts_right
from ragpp_services.episodic.reading.traits import Trait
from tests.support.each import each_case


@each_case(
    "said",
    [
        "no hang on 48231",
        "oops, the 5th",
        "sorry 141",
        "ah wait he said 160, i misheard",
        "they rang, we have to come at 7 instead",
        "*twelve",
        "I meant Thursday",
        "sorry, it's with Dr. Okafor",
    ],
)
def test_a_repair_puts_right(said: str) -> None:
    assert puts_right(said)


@each_case(
    "said",
    [
        "sorry, gotta go",
        "no thanks",
        "and the water meter reads 1192",
        "we are 12 on Friday",
        "wait for me at the station on Friday, I have the tickets for us all and the keys for the flat, bye",
    ],
)
def test_what_goes_on_or_says_nothing_else_puts_nothing_right(said: str) -> None:
    assert not puts_right(said)


def test_the_next_of_the_same_speaker_and_session_follows() -> None:
    speakers, sessions = np.array([0, 1, -1, 0, 0]), np.array([1, 1, 1, 1, 2])
    traits = np.array([0, 0, Trait.ASSISTANT, 0, 0])
    none = np.zeros(5)
    table = CandidateTable(np.arange(5), sessions, none, none, np.zeros((5, 0)), speakers, ("a", "b"), traits=traits)
    assert [followed_by(table, row) for row in range(5)] == [3, None, None, None, None]
