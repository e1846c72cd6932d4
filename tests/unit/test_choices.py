"""Choices of a user hold for each request: asked for once in a while, anew when set, and never guessed for a write."""

import asyncio
from collections.abc import Awaitable, Callable
from zoneinfo import ZoneInfo

import pytest

from ragpp.errors import TierUnavailable
from ragpp.ledger.policies import OF_ALL, Chosen
from ragpp.models import Scope
from ragpp.personal.policy import PersonalPolicy
from ragpp.redaction import SECRETS
from ragpp_services.gateway.personal.choices import FRESH_S, UNKNOWN, UserChoices
from ragpp_services.gateway.personal.holding import HeldRedactor, holding
from tests.support.scopes import new_scope

TOKYO = ZoneInfo("Asia/Tokyo")
MASKING = PersonalPolicy("mask")


class Board:
    """The choices, and how often it was asked for; `hangs` never answers."""

    def __init__(self, chosen: Chosen) -> None:
        self.chosen, self.asked, self.is_lost, self.hangs, self.now = chosen, 0, False, False, 0.0

    async def __call__(self, _scope: Scope) -> Chosen:
        self.asked += 1
        if self.hangs:
            await asyncio.Event().wait()
        if self.is_lost:
            raise TierUnavailable("PostgreSQL is away")
        return self.chosen

    def choices(self) -> UserChoices:
        return UserChoices(
            self, lambda scope: f"{scope.tenant_id} {scope.user_id}".encode().ljust(16), lambda: self.now
        )


async def test_what_holds_is_asked_for_once_in_five_seconds_and_when_it_was_set_anew() -> None:
    board, scope = Board(Chosen("Asia/Tokyo")), new_scope()
    choices = board.choices()
    assert [await choices.zone_of(scope) for _ in range(3)] == [TOKYO] * 3
    assert board.asked == 1
    board.chosen = Chosen("Europe/Lisbon")
    choices.set(scope)
    assert await choices.zone_of(scope) == ZoneInfo("Europe/Lisbon")
    board.chosen, board.now = Chosen("UTC"), FRESH_S
    assert await choices.zone_of(scope) is None


async def test_a_policy_of_the_tenant_holds_at_once_for_each_of_its_users_and_for_no_others() -> None:
    board, one, other = Board(Chosen()), new_scope(), new_scope()
    choices = board.choices()
    assert [(await choices.of(scope)).redactor for scope in (one, other)] == [None, None]
    board.chosen = Chosen(policy=MASKING)
    choices.set(Scope.trusted(tenant_id=one.tenant_id, user_id=OF_ALL))
    assert (await choices.of(one)).redactor is not None
    assert (await choices.of(other)).redactor is None


@pytest.mark.parametrize("fails", ["is_lost", "hangs"])
async def test_a_question_goes_by_what_held_last_where_nobody_can_tell(fails: str) -> None:
    board, scope = Board(Chosen("Asia/Tokyo", MASKING)), new_scope()
    choices = board.choices()
    setattr(board, fails, True)
    assert await choices.known_of(scope) == UNKNOWN
    setattr(board, fails, False)
    held = await choices.of(scope)
    setattr(board, fails, True)
    board.now = 2 * FRESH_S
    assert await choices.known_of(scope) is held


async def test_a_write_waits_for_no_guess() -> None:
    """A text that is stored under a policy that nobody can read might be what the policy keeps out."""
    board, scope = Board(Chosen()), new_scope()
    choices = board.choices()
    await choices.of(scope)
    board.is_lost, board.now = True, FRESH_S
    with pytest.raises(TierUnavailable):
        await choices.of(scope)


async def test_two_users_have_two_masks_for_one_value_and_one_user_has_one() -> None:
    choices = Board(Chosen(policy=MASKING)).choices()
    one, other = [(await choices.of(new_scope())).redactor for _ in range(2)]
    assert one is not None
    assert other is not None
    masks = [redactor.redact("write to ana@example.org").text for redactor in (one, other, one)]
    assert masks[0] == masks[2] != masks[1]


async def test_each_request_is_redacted_by_its_own_policy_however_they_run_side_by_side() -> None:
    choices = Board(Chosen(policy=MASKING)).choices()
    masking = (await choices.of(new_scope())).redactor
    assert masking is not None
    held, text, turn = HeldRedactor(), "ana@example.org, password: hunter2!", asyncio.Barrier(2)

    async def told(redact: Callable[[], Awaitable[str]]) -> str:
        await turn.wait()
        return await redact()

    async def plain() -> str:
        return held.redact(text).text

    async def masked() -> str:
        with holding(masking):
            return await asyncio.to_thread(lambda: held.redact(text).text)

    found = await asyncio.gather(told(plain), told(masked))
    assert list(found) == [SECRETS.redact(text).text, masking.redact(text).text]
