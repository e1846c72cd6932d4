"""Playing a script into a memory: the subject's as it is, or the witness's, from which nothing was ever forgotten."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import product
from typing import Any, Final, Protocol
from uuid import uuid4

import httpx

from ragpp.ledger import WorkLedger
from ragpp.ledger.events import RequestKind
from ragpp.models import Repetition, Scope
from ragpp.tiers import EpisodicTier
from tests.support.oracle_acting import Target, act_on, pick, stands
from tests.support.oracle_keeping import create_categories, forget_kept, keep, note, write_page
from tests.support.oracle_script import (
    ENDS,
    Act,
    Digest,
    Disturb,
    Forget,
    Job,
    JobStage,
    Keep,
    Note,
    Pin,
    Say,
    Script,
    Step,
    WritePage,
    gone_with,
    with_word,
)
from tests.support.oracle_vocabulary import DAYS

_KINDS: Final[Mapping[str, RequestKind]] = {
    "extract": "extract.requested",
    "reflect": "reflect.requested",
    "maintain": "maintain.requested",
}


class Moment:
    """A clock that shows the moment it was set to."""

    def __init__(self) -> None:
        self.now = ENDS

    def __call__(self) -> datetime:
        return self.now


class Workers(Protocol):
    """Whoever digests: in this process, or processes of their own."""

    async def digest(self, tenant_id: str) -> None:
        """Return once nothing of the tenant waits."""
        ...

    async def disturb(self, step: Disturb, tenant_id: str) -> str | None:
        """Stop or kill one in its work; what happened, None where there was no work."""
        ...

    async def go_on(self) -> None:
        """Let those that were stopped go on, to their end."""
        ...


@dataclass
class Stage:
    """The parts that a script is played on. `tally` counts what was done to the subject."""

    client: Callable[[str], Awaitable[httpx.AsyncClient]]
    ledger: WorkLedger
    episodic: EpisodicTier
    workers: Workers
    clock: Moment
    tally: Counter[str] = field(default_factory=Counter)


@dataclass
class Player:
    """Plays for one of the two. `users`: of whom both conclude. `targets`: of the acts in order: found where None is
    given, else those. `noted`: what in replies repeats what the witness never hears, and teaches it nothing. `gone`:
    what was forgotten, what repeats it by the memory's own judgement among it. `skipped`: acts whose target was not
    there; those `standing` are done at the end, for a person's word stays while what it is about is known."""

    stage: Stage
    tenant_id: str
    script: Script
    words: Mapping[tuple[str, str], str]
    users: Sequence[str]
    targets: list[Target | None] | None = None
    noted: Mapping[tuple[str, str], Sequence[Repetition]] = field(default_factory=dict)
    found: list[Target | None] = field(default_factory=list)
    gone: set[tuple[str, str]] = field(default_factory=set)
    skipped: list[tuple[Act, Target]] = field(default_factory=list)
    done: list[tuple[Act, Target]] = field(default_factory=list)
    standing: Sequence[tuple[Act, Target]] = ()

    async def play(self) -> None:
        """All steps, and then what makes two memories comparable: everything extracted, reflected upon and maintained
        at one moment."""
        async with await self.stage.client(self.tenant_id) as api:
            for place, step in enumerate(self.script.steps):
                after = self.script.steps[place + 1] if place + 1 < len(self.script.steps) else None
                await self._step(api, step, self.script.steps[:place], after)
            self.stage.clock.now = ENDS
            await self.stage.workers.go_on()
            await self.stage.workers.digest(self.tenant_id)
            for user in self.users if "catalog" in self.script.kinds else ():
                await create_categories(api, user)  # an erasure took them
            for act, target in self.skipped:
                if (act, target) in self.standing:
                    await self._act_on(api, act, target)
            await self._conclude()

    async def _step(self, api: httpx.AsyncClient, step: Step, before: tuple[Step, ...], after: Step | None) -> None:
        match step:
            case Say():
                await self._say(api, step)
            case Job():
                await self.stage.workers.digest(self.tenant_id)
                await self._job(step)
            case Act():
                await self.stage.workers.digest(self.tenant_id)
                await self._act(api, step)
            case Pin() if (step.user, step.id) not in self.gone | replace(self.script, steps=before).forgotten:
                answer = await api.put(f"/v1/users/{step.user}/pins/episodic/{step.id}")
                assert answer.is_success, answer.text
            case Keep() | Note() | WritePage():
                await self._keep(api, step, before)
            case Forget():
                await self._forget(api, step, before)
                if isinstance(after, Digest):
                    await self.stage.workers.digest(self.tenant_id)
                await self.stage.workers.go_on()
            case Disturb():
                if what := await self.stage.workers.disturb(step, self.tenant_id):
                    self.stage.tally[what] += 1
            case Digest():
                await self.stage.workers.digest(self.tenant_id)

    async def _say(self, api: httpx.AsyncClient, say: Say) -> None:
        message = {
            "id": say.id,
            "role": say.role,
            "name": say.name,
            "content": with_word(say, self.words),
            "occurred_at": say.at.isoformat(),
        }
        body = {"user_id": say.user, "session_id": say.session, "messages": [message]}
        answer = await api.post("/v1/interactions", json=body)
        assert answer.status_code == 201, answer.text
        noted = self.noted.get((say.user, say.id), ())
        await self.stage.episodic.note_repetitions(Scope(tenant_id=self.tenant_id, user_id=say.user), noted)
        self.stage.tally["messages"] += 1

    async def _keep(self, api: httpx.AsyncClient, step: Keep | Note | WritePage, before: tuple[Step, ...]) -> None:
        match step:
            case Keep() if await keep(api, step, before, self.gone, self.words):
                self.stage.tally["resources"] += 1
            case Note() if await note(api, step, self.words):
                self.stage.tally["items"] += 1
            case WritePage():
                await write_page(api, step)
                self.stage.tally["pages asked for"] += 1

    async def repetitions(self) -> dict[tuple[str, str], list[Repetition]]:
        """The repetitions that are noted of replies, by user and id."""
        noted: dict[tuple[str, str], list[Repetition]] = {}
        for say in (step for step in self.script.steps if isinstance(step, Say) and step.role == "assistant"):
            scope = Scope(tenant_id=self.tenant_id, user_id=say.user)
            noted[say.user, say.id] = await self.stage.episodic.repetitions(scope, [say.id])
        return noted

    async def _job(self, job: Job) -> None:
        await self._request(job)
        await self.stage.workers.digest(self.tenant_id)

    async def _request(self, job: Job) -> None:
        end = datetime.fromisoformat(f"{job.day}T00:00:00+00:00") + timedelta(days=1)
        payloads: dict[str, dict[str, Any]] = {
            "extract": {"start": f"{DAYS[0]}T00:00:00+00:00", "end": end.isoformat()},
            "reflect": {"kind": "daily", "date": job.day},
            "maintain": {"task": "decay"},
        }
        scope = Scope(tenant_id=self.tenant_id, user_id=job.user)
        subject = f"oracle:{uuid4().hex}"
        await self.stage.ledger.request(scope, _KINDS[job.stage], subject, payloads[job.stage], end)

    async def _conclude(self) -> None:
        """Extract from everything, then reflect on each day, then let time pass, and look after the catalog, for all
        users."""
        courses: tuple[tuple[JobStage, tuple[str, ...]], ...] = (
            ("extract", DAYS[-1:]),
            ("reflect", DAYS),
            ("maintain", DAYS[-1:]),
        )
        for stage, days in courses:
            for user, day in product(self.users, days):
                await self._request(Job(user, stage, day))
            await self.stage.workers.digest(self.tenant_id)
        for user in self.users if "catalog" in self.script.kinds else ():
            scope = Scope(tenant_id=self.tenant_id, user_id=user)
            upkeep: dict[str, Any] = {"task": "catalog"}
            await self.stage.ledger.request(scope, "maintain.requested", f"oracle:{uuid4().hex}", upkeep, ENDS)
        await self.stage.workers.digest(self.tenant_id)

    async def _act(self, api: httpx.AsyncClient, act: Act) -> None:
        target = await pick(api, act) if self.targets is None else self.targets[len(self.found)]
        self.found.append(target)
        if target is None:
            return
        done = await self._act_on(api, act, target)
        (self.done if done else self.skipped).append((act, target))
        self.stage.tally["acts" if done else "acts skipped"] += 1

    async def _act_on(self, api: httpx.AsyncClient, act: Act, target: Target) -> bool:
        self.stage.clock.now = act.at
        try:
            return await act_on(api, act, target)
        finally:
            self.stage.clock.now = ENDS

    async def verdicts(self) -> list[tuple[Act, Target]]:
        """Those among its acts that still stand."""
        async with await self.stage.client(self.tenant_id) as api:
            return [done for done in self.done if await stands(api, *done)]

    async def _forget_messages(self, api: httpx.AsyncClient, user: str, ids: Sequence[str], replies: bool) -> None:
        """Forget them one by one, with what repeats them where `replies` go."""
        for one in ids:
            asked = {"user_id": user, "replies": str(replies).lower()}
            answer = await api.delete(f"/v1/interactions/{one}", params=asked)
            assert answer.status_code in {200, 404}, answer.text
            repeated_by = answer.json().get("repeated_by", ())
            self.gone |= {(user, identifier) for identifier in (one, *(repeated_by if replies else ()))}
            self.stage.tally["replies that stay"] += 0 if replies else len(repeated_by)

    async def _forget(self, api: httpx.AsyncClient, forget: Forget, before: tuple[Step, ...]) -> None:
        match forget.what:
            case "messages":
                ids = [say.id for say in gone_with(forget, before)]
                await self._forget_messages(api, forget.user, ids, forget.replies == "go")
            case "session":
                said = gone_with(forget, before)
                elsewhere = [say.id for say in said if say.session != forget.session]
                for say in said:
                    asked = {"user_id": forget.user, "dry_run": "true"}
                    answer = await api.delete(f"/v1/interactions/{say.id}", params=asked)
                    elsewhere += answer.json().get("repeated_by", ())
                await self._forget_messages(api, forget.user, elsewhere, replies=True)
                path = f"/v1/sessions/{forget.session}?user_id={forget.user}"
                await ask_to_erase(api, path)
            case "user":
                await ask_to_erase(api, f"/v1/users/{forget.user}")
            case "resources" | "items":
                await forget_kept(api, forget)
        self.stage.tally[f"forgotten: {forget.what}"] += 1


async def ask_to_erase(api: httpx.AsyncClient, path: str) -> None:
    """Ask for a session or a user to be forgotten; a worker does it."""
    answer = await api.delete(path)
    assert answer.status_code == 202, answer.text
