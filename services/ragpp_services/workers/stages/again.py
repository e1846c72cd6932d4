"""Looking again: what windows of messages taught is learned anew after something in them was forgotten.

What several messages show together is dropped as a whole with any of them. Then every window that may have taught it is
looked at once more, in the order in which they were looked at before, without what was forgotten: so the memory comes
to what it would be, had it never heard it.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from pydantic import JsonValue

from ragpp.ledger import Work, WorkKey
from ragpp.ledger.windows import AGAIN, Again, Window
from ragpp.models import Scope, TimeRange
from ragpp_services.workers.learning.days import Bounded, known_zone
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.clean import want_clean
from ragpp_services.workers.stages.extract import extract, look_at
from ragpp_services.workers.stages.reflect import reflect_again
from ragpp_services.workers.stages.stage import everywhere


async def extract_or_look_again(parts: WorkerParts, batch: Sequence[Work]) -> Mapping[WorkKey, Mapping[str, JsonValue]]:
    """Extract from the window of each work, or look again at the windows of before where its payload says so. Raises as
    `extract` and `reflect`."""
    results: dict[WorkKey, Mapping[str, JsonValue]] = {}
    for work in batch:
        if work.payload.get(AGAIN):
            if work.scope.view is not None:  # all views are looked at with the whole memory
                continue
            results[work.key] = {"looked_at_again": await look_again(parts, work)}
        else:
            results |= await extract(parts, [work])
    return results


async def look_again(parts: WorkerParts, work: Work) -> int:
    """Learn anew what the ledger has noted; returns how many windows were looked at.

    Interrupted, it begins again: what it dropped is noted until all is done. What is forgotten meanwhile is taken out
    by its own `forget`, and asks for another look. A language model is asked about the windows alone that what was
    forgotten was part of, and those that overlap them: what it made of the others stays.
    """
    scope = work.scope
    noted = await parts.ledger.again(scope)
    looked = 0 if noted is None else await _look_since(parts, work, noted)
    for view in await everywhere(parts, scope):
        await parts.procedural.relearned(view)
    await want_clean(parts, scope)
    return looked


async def _look_since(parts: WorkerParts, work: Work, noted: Again) -> int:
    scope = work.scope
    windows = await parts.ledger.windows(scope)
    touched = [window for window in windows if window.holds(noted.gone)]
    since = min([noted.since, *(window.start for window in touched)])
    if windows:  # what was learned in windows that nobody remembers could not be learned again
        since = max(since, min(window.start for window in windows))
    asks = parts.model_for("reflection", scope) is not None
    spans = [TimeRange(start=window.start, end=window.end) for window in touched] if parts.models is not None else []
    days = sorted({window.day for window in touched if window.day is not None}) if asks else None
    zone = known_zone((await parts.ledger.user_settings(scope)).time_zone)
    views = await everywhere(parts, scope)
    for view in views:
        await parts.procedural.unlearn(view, since, str(zone), spans, days)
    before, noted = noted, await parts.ledger.again(scope) or noted
    if not set(noted.gone) <= set(before.gone):  # forgotten meanwhile: more windows are touched
        return await _look_since(parts, work, noted)
    since = min(since, noted.since)
    windows = await parts.ledger.windows(scope)  # with those that were looked at until then
    found = _in_turn(windows, since, since.astimezone(zone).date())
    for window in found:
        near = any(window.start < other.end and other.start < window.end for other in touched)
        whole = near or days is None or window.day in days
        for view in views:
            await _look_at(parts, _asked(view, window, work), window, ask=near, whole=whole)
    await parts.ledger.looked_again(scope, noted)
    return len(found)


def _in_turn(windows: Sequence[Window], since: datetime, first_day: date) -> list[Window]:
    """The windows that reach beyond `since`, and one reflection at least: what was merged stands apart until then."""
    found = [window for window in windows if (window.end > since if window.day is None else window.day >= first_day)]
    reflections = [window for window in windows if window.stage == "reflect"]
    if reflections and not any(window.stage == "reflect" for window in found):
        found.append(reflections[-1])
    return sorted(found, key=lambda window: (window.event_id, window.stage))


async def look_in_turn(parts: WorkerParts, view: Scope) -> None:
    """Look, in a view that has not, at every window that was looked at. Raises as `extract` and `reflect`."""
    for window in sorted(await parts.ledger.windows(view), key=lambda window: (window.event_id, window.stage)):
        await _look_at(parts, _asked(view, window), window, ask=False, whole=True)


async def _look_at(parts: WorkerParts, work: Work, window: Window, *, ask: bool, whole: bool) -> None:
    """Look at the window in the view of the work's scope; one in which the whole memory has nothing is dropped."""
    if window.stage == "reflect":
        left = await reflect_again(parts, work, whole=whole)
    else:
        zone = str(work.payload["time_zone"])
        span = Bounded(start=window.start, end=window.end)
        left = bool((await look_at(parts, work.scope, span, zone, ask=ask)).said)
    if not left and work.scope.view is None:
        await parts.ledger.drop_window(work.scope, window)


def _asked(scope: Scope, window: Window, work: Work | None = None) -> Work:
    """The work that looked at the window, as it would be asked for now; tried as often as `work`."""
    key = WorkKey(window.event_id, window.stage)
    payload = {**window.payload, "time_zone": str(known_zone(str(window.payload.get("time_zone"))))}
    attempts = work.attempts if work is not None else 1
    return Work(key, scope, f"{window.stage}.requested", "", window.end, attempts, payload)
