"""The work that is due: nights on the user's clocks, days that were missed, windows that have settled."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from ragpp.catalog import EVERYBODY
from ragpp.ledger.schedule import KeptUp
from ragpp.models import Scope
from ragpp.retention import EntryRetention, RetentionPolicy
from ragpp_services.workers.parts import LearningPolicy, SchedulePolicy
from ragpp_services.workers.running.schedule import (
    DECAY_DAYS,
    MOST_DAYS,
    days_due,
    end_of,
    night_after,
    night_of,
    settled_at,
    upkeep_day,
    upkeep_tasks,
)
from tests.support.each import each_case

ZONES = ("UTC", "Europe/Lisbon", "America/St_Johns", "Asia/Kathmandu", "Pacific/Kiritimati", "Pacific/Pago_Pago")
NOON = datetime(2025, 3, 10, 12, tzinfo=UTC)


def kept_up(stored_at: datetime, *, user_id: str = "u", catalog: bool = False) -> KeptUp:
    return KeptUp(Scope(tenant_id="t", user_id=user_id), stored_at, catalog)


def test_a_day_is_due_at_the_hour_of_the_next_morning_on_the_users_clocks() -> None:
    tokyo = ZoneInfo("Asia/Tokyo")
    said = datetime(2025, 3, 9, 16, tzinfo=UTC)  # one in the morning of the tenth in Tokyo
    assert night_of(said, tokyo, 3) == datetime(2025, 3, 10, 18, tzinfo=UTC)
    assert days_due([said], tokyo, 3, datetime(2025, 3, 10, 17, 59, tzinfo=UTC)) == []
    assert days_due([said], tokyo, 3, datetime(2025, 3, 10, 18, tzinfo=UTC)) == [date(2025, 3, 10)]


def test_the_running_day_is_never_due() -> None:
    assert days_due([NOON - timedelta(minutes=1)], ZoneInfo("UTC"), 0, NOON) == []


def test_an_hour_that_the_clocks_skip_comes_when_they_do_so() -> None:
    berlin = ZoneInfo("Europe/Berlin")  # on 30 March 2025 the clocks go from 2 to 3
    night = night_after(date(2025, 3, 29), berlin, 2)
    assert night.astimezone(UTC) == datetime(2025, 3, 30, 1, tzinfo=UTC)


def test_an_hour_that_comes_twice_is_the_first_one() -> None:
    berlin = ZoneInfo("Europe/Berlin")  # on 26 October 2025 the clocks go from 3 back to 2
    assert night_after(date(2025, 10, 25), berlin, 2).astimezone(UTC) == datetime(2025, 10, 26, 0, tzinfo=UTC)


def test_days_on_which_the_clocks_change_are_whole() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    for day, hours in ((date(2025, 3, 30), 23), (date(2025, 10, 26), 25), (date(2025, 6, 1), 24)):
        start = end_of(day - timedelta(days=1), berlin).astimezone(UTC)
        assert end_of(day, berlin).astimezone(UTC) - start == timedelta(hours=hours)


def test_missed_nights_are_made_up_for_but_not_all_of_history() -> None:
    days = [NOON.date() - timedelta(days=back) for back in range(30, 0, -1)]
    moments = [datetime(day.year, day.month, day.day, 9, tzinfo=UTC) for day in days]
    due = days_due(moments, ZoneInfo("UTC"), 3, NOON)
    assert due == days[-MOST_DAYS:]


def test_days_without_a_word_have_no_night() -> None:
    said = [NOON - timedelta(days=5), NOON - timedelta(days=2)]
    assert days_due(said, ZoneInfo("UTC"), 3, NOON) == [date(2025, 3, 5), date(2025, 3, 8)]


@given(
    st.lists(st.integers(0, 20 * 24 * 4), max_size=20),
    st.sampled_from(ZONES),
    st.integers(0, 23),
    st.integers(0, 3 * 365 * 24 * 60),
)
def test_each_day_is_due_once_when_it_has_ended(quarters: list[int], name: str, hour: int, minutes: int) -> None:
    now, zone = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes), ZoneInfo(name)
    said = [now - timedelta(minutes=15 * quarter) for quarter in quarters]
    due = days_due(said, zone, hour, now)
    assert due == sorted(set(due))
    spoken = {moment.astimezone(zone).date() for moment in said}
    for day in due:
        assert day in spoken
        assert end_of(day, zone) <= now
    for day in spoken - set(due):
        late = (now.astimezone(zone).date() - day).days > MOST_DAYS
        assert late or night_after(day, zone, hour) > now


def test_a_window_has_settled_by_quiet_by_number_or_by_age() -> None:
    settled = settled_at(SchedulePolicy(timedelta(seconds=30), 20, timedelta(hours=1)), NOON)
    assert settled.quiet_since == NOON - timedelta(seconds=30)
    assert settled.first_since == NOON - timedelta(hours=1)
    assert settled.interactions == 20


@each_case(("hour", "day"), [(3, 9), (4, 10), (23, 10)])
def test_upkeep_begins_at_its_hour(hour: int, day: int) -> None:
    assert upkeep_day(datetime(2025, 3, 10, hour, tzinfo=UTC), 4) == date(2025, 3, day)


def test_upkeep_is_what_there_is_to_do() -> None:
    policy = LearningPolicy(retention={"default": RetentionPolicy()})
    assert list(upkeep_tasks(kept_up(NOON), NOON, LearningPolicy())) == ["decay"]
    assert list(upkeep_tasks(kept_up(NOON), NOON, policy)) == ["decay", "retention"]
    assert list(upkeep_tasks(kept_up(NOON, catalog=True), NOON, policy)) == ["decay", "catalog", "retention"]
    assert list(upkeep_tasks(kept_up(NOON - timedelta(days=DECAY_DAYS)), NOON, policy)) == ["retention"]


def test_of_what_all_users_share_there_is_the_catalog_alone() -> None:
    shared = kept_up(NOON, user_id=EVERYBODY, catalog=True)
    assert list(upkeep_tasks(shared, NOON, LearningPolicy())) == ["catalog"]


def test_of_whoever_is_long_silent_sentences_are_looked_after_once_a_month() -> None:
    days = [NOON.replace(day=1) + timedelta(days=day) for day in range(31)]
    tasks = [list(upkeep_tasks(kept_up(day - timedelta(days=DECAY_DAYS)), day, LearningPolicy())) for day in days]
    assert tasks == [["sentences"]] + [[]] * 30


def test_what_agents_keep_is_cleaned_up_on_its_days() -> None:
    user = kept_up(NOON, catalog=True)
    daily = LearningPolicy(entries=EntryRetention())
    assert "retention" in upkeep_tasks(user, NOON, daily)
    assert "retention" not in upkeep_tasks(kept_up(NOON), NOON, daily)
    every_third = LearningPolicy(entries=EntryRetention(), cleanup_days=3)
    days = [NOON + timedelta(days=day) for day in range(6)]
    assert sum("retention" in upkeep_tasks(user, day, every_third) for day in days) == 2
