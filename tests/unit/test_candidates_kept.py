"""The candidates for a message are kept for five minutes, as long as they are what would be found."""

from dataclasses import replace
from typing import cast

from ragpp.entries.values import EntryQuery
from ragpp.models import Scope
from ragpp.tiers import CatalogTier
from ragpp_services.gateway.catalog.caching import (
    CANDIDATE_BYTES,
    KEPT_S,
    InProcessCandidates,
    Question,
    size_of,
)
from ragpp_services.gateway.catalog.candidates import Candidate, Message, candidates_of
from tests.support.each import each_case
from tests.support.scopes import new_scope
from tests.support.versions import NOON, Shelf, Watched, message, told


class Seconds:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def watched(shelf: Shelf) -> Watched:
    return Watched(cast("CatalogTier", shelf))


async def made(*contents: str) -> list[Candidate]:
    shelf = Shelf(*contents)
    return candidates_of(await shelf.find_entries(new_scope(), EntryQuery(contents=True)), message(), NOON)


async def test_a_message_is_searched_for_once_in_five_minutes() -> None:
    seconds, scope, catalog = Seconds(), new_scope(), watched(Shelf("box 7"))
    cache = InProcessCandidates(seconds)
    for moment, searches in ((0, 1), (KEPT_S - 1, 1), (KEPT_S, 2), (2 * KEPT_S - 1, 2)):
        seconds.now = moment
        assert await told(catalog, cache, scope) == ["box 7"]
        assert catalog.searches == searches


async def test_what_is_written_between_the_version_and_the_search_is_there_and_so_is_what_comes_after() -> None:
    shelf, scope, cache = Shelf("box 1"), new_scope(), InProcessCandidates()
    catalog = Watched(cast("CatalogTier", shelf), before=lambda: shelf.write("box 2"))
    assert await told(catalog, cache, scope) == ["box 1", "box 2"]
    await shelf.write("box 3")
    assert await told(catalog, cache, scope) == ["box 1", "box 2", "box 3"]


async def test_what_is_written_behind_a_search_is_seen_by_the_next_one() -> None:
    shelf, scope, cache = Shelf("box 1"), new_scope(), InProcessCandidates()
    catalog = Watched(cast("CatalogTier", shelf), after=lambda: shelf.write("box 2"))
    assert await told(catalog, cache, scope) == ["box 1"]
    assert await told(catalog, cache, scope) == ["box 1", "box 2"]
    assert catalog.searches == 2


WHO = Scope(tenant_id="t", user_id="u")


@each_case(
    ("scope", "asked"),
    [
        (WHO.model_copy(update={"tenant_id": "t2"}), message()),
        (WHO.model_copy(update={"user_id": "u2"}), message()),
        (WHO.seen_by("sales"), message()),
        (WHO.seen_by("care"), message()),
        (WHO, message(agent="sales")),
        (WHO, message(goal="close")),
        (WHO, message("What else is on the shelf?")),
    ],
)
async def test_nobody_is_told_what_another_was_told_or_for_another_message(scope: Scope, asked: Message) -> None:
    cache, catalog = InProcessCandidates(), watched(Shelf("box 7"))
    await told(catalog, cache, WHO)
    await told(catalog, cache, scope, asked)
    assert catalog.searches == 2


async def test_a_budget_is_nothing_that_candidates_depend_on() -> None:
    cache, catalog = InProcessCandidates(), watched(Shelf("box 7"))
    await told(catalog, cache, WHO)
    await told(catalog, cache, WHO, replace(message(), max_tokens=5))
    assert catalog.searches == 1


def test_of_a_message_nothing_but_its_hash_is_kept() -> None:
    assert "shelf" not in repr(Question.of(WHO, message("What is on the shelf?"), "1.0"))


async def test_what_was_not_asked_for_longest_makes_room() -> None:
    cache, one = InProcessCandidates(most_answers=2), await made("box 7")
    first, second, third = (Question.of(WHO, message(text), "1.0") for text in "abc")
    await cache.put(first, one)
    await cache.put(second, one)
    assert await cache.get(first) is not None
    await cache.put(third, one)
    assert await cache.get(second) is None
    assert await cache.get(first) is not None
    assert await cache.get(third) is not None


async def test_what_is_kept_has_no_more_bytes_than_there_is_room_for() -> None:
    one = await made("box 7")
    (size,) = map(size_of, one)
    assert size > CANDIDATE_BYTES
    cache = InProcessCandidates(most_bytes=3 * size)
    for number in range(10):
        await cache.put(Question.of(WHO, message(f"{number}"), "1.0"), one)
        assert len(cache) == min(number + 1, 3)
    await cache.put(Question.of(WHO, message("much"), "1.0"), await made("x" * 3 * size))
    assert await cache.get(Question.of(WHO, message("much"), "1.0")) is None
    assert len(cache) == 3
    again = Question.of(WHO, message("9"), "1.0")
    for _ in range(5):
        await cache.put(again, one)
    assert len(cache) == 3


async def test_what_is_over_its_time_is_let_go_whoever_asks_for_what() -> None:
    seconds = Seconds()
    cache = InProcessCandidates(seconds)
    await cache.put(Question.of(WHO, message("a"), "1.0"), await made("box 7"))
    seconds.now = KEPT_S
    assert await cache.get(Question.of(WHO, message("b"), "1.0")) is None
    assert len(cache) == 0
