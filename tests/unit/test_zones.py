"""Times are told by the user's clocks, else by those of who said it."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from ragpp.models import Interaction, Memory
from ragpp_services.gateway.zones import offset_at, told_in
from tests.support.each import each_case

EVENING = datetime(2024, 5, 1, 21, 30, tzinfo=timezone(timedelta(hours=-5)))
LISBON, TOKYO = ZoneInfo("Europe/Lisbon"), ZoneInfo("Asia/Tokyo")


@each_case(
    ("zone", "moment", "minutes"),
    [
        (None, EVENING, -300),
        (None, EVENING.astimezone(UTC), None),
        (LISBON, EVENING, 60),
        (LISBON, datetime(2024, 1, 1, tzinfo=UTC), None),
        (TOKYO, EVENING, 540),
        (TOKYO, datetime.max.replace(tzinfo=UTC), None),
    ],
)
def test_an_offset_is_the_zones_else_the_moments_own(
    zone: ZoneInfo | None, moment: datetime, minutes: int | None
) -> None:
    assert offset_at(zone, moment) == minutes


def test_a_zone_goes_before_what_came_with_a_message() -> None:
    memory = Memory(
        id="m", tier="episodic", kind="interaction", text="x", score=1.0, occurred_at=EVENING, utc_offset=-300
    )
    assert [one.utc_offset for one in told_in(TOKYO, [memory])] == [540]
    assert told_in(None, [memory]) == (memory,)


def test_today_is_the_day_that_it_was_where_it_was_said() -> None:
    said = Interaction(id="m", content="I went to the dentist today.", occurred_at=EVENING, utc_offset=-300)
    assert said.occurred_at == EVENING
    assert said.wall_clock.isoformat() == "2024-05-01T21:30:00+00:00"
    assert said.model_copy(update={"utc_offset": None}).wall_clock == said.occurred_at
