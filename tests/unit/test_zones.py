"""Times are told by the user's clocks, else by those of who said it."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from ragpp.errors import TierUnavailable
from ragpp.jobs import UserSettings
from ragpp.models import Interaction, Memory, Scope
from ragpp_services.gateway.zones import FRESH_S, Zones, offset_at, told_in
from tests.support.each import each_case
from tests.support.scopes import new_scope

EVENING = datetime(2024, 5, 1, 21, 30, tzinfo=timezone(timedelta(hours=-5)))
LISBON, TOKYO = ZoneInfo("Europe/Lisbon"), ZoneInfo("Asia/Tokyo")


class Settings:
    def __init__(self, time_zone: str) -> None:
        self.time_zone, self.asked, self.is_lost, self.now = time_zone, 0, False, 0.0

    async def __call__(self, _scope: Scope) -> UserSettings:
        self.asked += 1
        if self.is_lost:
            raise TierUnavailable("PostgreSQL is away")
        return UserSettings(time_zone=self.time_zone)

    def zones(self) -> Zones:
        return Zones(self, lambda: self.now)


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


async def test_a_zone_is_asked_for_once_a_minute_and_when_it_was_set_anew() -> None:
    settings, scope = Settings("Asia/Tokyo"), new_scope()
    zones = settings.zones()
    assert [await zones.of(scope) for _ in range(3)] == [TOKYO] * 3
    assert settings.asked == 1
    settings.time_zone = "Europe/Lisbon"
    zones.set(scope)
    assert await zones.of(scope) == LISBON
    settings.time_zone, settings.now = "UTC", FRESH_S
    assert await zones.of(scope) is None


async def test_while_nobody_can_tell_the_zone_that_was_told_last_holds() -> None:
    settings, scope = Settings("Asia/Tokyo"), new_scope()
    zones = settings.zones()
    settings.is_lost = True
    assert await zones.of(scope) is None
    settings.is_lost = False
    await zones.of(scope)
    settings.is_lost, settings.now = True, 2 * FRESH_S
    assert await zones.of(scope) == TOKYO
