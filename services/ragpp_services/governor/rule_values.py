"""The report of the rules that a turn's answer was given under, and of what came of them."""

from ragpp.models import Value


class FiredRule(Value):
    """A rule that stood in the prompt of an answer. `score`: of the recall that found it. `followed`: whether the
    responder says that it used it, None where it does not say. `success`: whether that worked, as the caller's
    `feedback` says, None before. `activation_count`, `outcomes`, `success_rate`: the rule's record as the memory
    answered it, with this counted; None where it was not told or did not answer."""

    id: str
    text: str
    score: float
    followed: bool | None = None
    success: bool | None = None
    activation_count: int | None = None
    outcomes: int | None = None
    success_rate: float | None = None
