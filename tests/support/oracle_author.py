"""Writes the oracle's scripts from seeds."""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from tests.support.oracle_script import (
    STEP,
    Act,
    Deed,
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
    Stage,
    Step,
    WritePage,
)
from tests.support.oracle_vocabulary import (
    AGENT,
    CARRIERS,
    CATEGORIES,
    DAYS,
    DOCUMENTS,
    DOCUMENTS_CARRY,
    ITEM_CARRIES,
    ITEMS,
    KINDS,
    NAMED,
    OWN_REPLIES,
    PARTLY,
    REPEATING,
    SAID,
    Kind,
)


def script_of(seed: int, kinds: frozenset[Kind] = KINDS, length: int = 10) -> Script:
    """A script of about `length` messages; the same for the same arguments."""
    return _Author(random.Random(seed), random.Random(f"{seed} kept"), kinds, length).write()


def repeating(said: str, name: str | None) -> str:
    """How an assistant repeats that, and what more it says of somebody."""
    return PARTLY.format(start=said.rstrip("."), name=name) if name else REPEATING.format(said=said)


class _Author:
    """Writes one script. `keeping`: the chance by which things are kept in the catalog, of its own, so that the rest is
    the same with and without them."""

    def __init__(self, chance: random.Random, keeping: random.Random, kinds: frozenset[Kind], length: int) -> None:
        self._chance, self._keeping, self._kinds, self._length = chance, keeping, kinds, length
        self._steps: list[Step] = []
        self._now = datetime.fromisoformat(f"{DAYS[0]}T08:00:00+00:00")
        self._spoken = sorted(kinds & SAID.keys()) or ["small_talk"]
        self._themes = chance.sample(self._spoken, k=min(len(self._spoken), chance.randint(2, 4)))
        sessions = {f"u{number}": chance.randint(1, 3) for number in range(1, chance.choice((1, 1, 1, 2, 3)) + 1)}
        self._places = [(user, f"s{number}") for user, count in sessions.items() for number in range(1, count + 1)]
        self._name = chance.choice((None, "Maria"))
        self._own = chance.sample(OWN_REPLIES, k=len(OWN_REPLIES))
        self._named = chance.sample(NAMED, k=len(NAMED))

    def write(self) -> Script:
        steps_between = [self._job, self._act, self._pin, self._disturb, self._forget]
        days = sorted(self._chance.choices(range(len(DAYS)), k=self._length))
        for number, day in enumerate(days):
            self._now = max(self._now + STEP, datetime.fromisoformat(f"{DAYS[day]}T08:00:00+00:00"))
            self._say(f"m{number}")
            if self._chance.random() < 0.5:
                self._steps.append(Digest())
            if self._chance.random() < 0.4:
                self._chance.choice(steps_between)()
            if "catalog" in self._kinds and self._keeping.random() < 0.7:
                self._keep()
        if not any(isinstance(step, Forget) and step.what not in {"resources", "items"} for step in self._steps):
            self._forget()
        if self._chance.random() < 0.3:
            self._forget()
        return Script(tuple(self._with_words()), self._kinds)

    def _say(self, identifier: str) -> None:
        user, session = self._chance.choice(self._places)
        theme = self._chance.choice(self._themes)
        text = self._chance.choice(SAID[theme])
        said = Say(user, session, identifier, text, self._now, name=self._name)
        self._steps.append(said)
        if "replies" in self._kinds and self._chance.random() < 0.4:
            self._now += STEP
            repeats = self._chance.random() < 0.6
            own = self._own.pop() if self._own else "{word}, noted."
            answer, of = (repeating(text, None), identifier) if repeats else (own, None)
            reply = Say(user, session, f"{identifier}r", answer, self._now, "assistant", repeats=of)
            if repeats and self._named and "staying" in self._kinds and self._chance.random() < 0.5:
                name = self._named.pop()
                reply = replace(reply, names=name, text=repeating(text, name))
            self._steps.append(reply)

    def _job(self) -> None:
        if "jobs" in self._kinds:
            stage: JobStage = self._chance.choice(("extract", "reflect", "reflect", "maintain"))
            # asked again, a model answers otherwise to a day of which it had read but a part
            day = self._now - timedelta(days=1 if "model" in self._kinds else 0)
            self._steps.append(Job(self._user(), stage, day.date().isoformat()))

    def _act(self) -> None:
        if "acts" in self._kinds:
            deeds: tuple[Deed, ...] = ("confirm", "reject", "confirm_preference", "reject_preference")
            if "rules" in self._kinds:
                deeds = (*deeds, "confirm_rule", "rule_text", "rule_priority", "rule_off")
            at = self._now + timedelta(seconds=len(self._steps) % 50 + 1)
            self._steps.append(Act(self._user(), self._chance.choice(deeds), self._chance.randrange(8), at))

    def _pin(self) -> None:
        if "acts" in self._kinds:
            said = self._chance.choice(self._said())
            self._steps.append(Pin(said.user, said.id))

    def _disturb(self) -> None:
        if "workers" in self._kinds:
            stages: tuple[Stage, ...] = ("observe", "observe", "short_term", "extract", "reflect", "forget", "erase")
            if "catalog" in self._kinds and self._keeping.random() < 0.25:
                stages = ("catalog", "catalog")
            how: Literal["stop", "kill"] = self._chance.choice(("stop", "kill"))
            self._steps.append(Disturb(how, self._chance.choice(stages), self._chance.randrange(40)))

    def _forget(self) -> None:
        said = self._chance.choice(self._said())
        roll = self._chance.random()
        if roll < 0.12 and "users" in self._kinds:
            self._steps.append(Forget(said.user, "user"))
        elif roll < 0.3 and "sessions" in self._kinds:
            self._steps.append(Forget(said.user, "session", session=said.session))
        else:
            own = [one.id for one in self._said() if one.user == said.user]
            repeated = [one.repeats for one in self._said() if one.user == said.user and one.repeats is not None]
            stay = "staying" in self._kinds and bool(repeated) and self._chance.random() < 0.5
            own = repeated if stay else own
            count = 1 if roll < 0.7 else min(len(own), self._chance.randint(2, 3))
            ids = tuple(sorted(self._chance.sample(own, count)))
            self._steps.append(Forget(said.user, "messages", ids, replies="stay" if stay else "go"))
        last = self._steps[-1]
        # what is said before a session is gone may repeat it by the way, and is not learned from
        if self._chance.random() < 0.5 or (isinstance(last, Forget) and last.what != "messages"):
            self._steps.append(Digest())

    def _keep(self) -> None:
        """Something of the catalog's: kept, written or forgotten."""
        said, roll = self._keeping.choice(self._said()), self._keeping.random()
        user, number, at = said.user, len(self._steps), self._now + timedelta(seconds=len(self._steps) % 50 + 1)
        hint = self._keeping.choice((None, *CATEGORIES))
        agent = AGENT if self._keeping.random() < 0.2 else None
        resources = [one.id for one in self._steps if isinstance(one, Keep) and one.user == user]
        items = [one.id for one in self._steps if isinstance(one, Note) and one.user == user]
        if roll < 0.2 or not resources:
            self._steps.append(Keep(user, f"res_{number}", said.session, at, hint=hint))
        elif roll < 0.4:
            text = self._keeping.choice(DOCUMENTS)
            self._steps.append(Keep(user, f"res_{number}", said.session, at, text, hint, agent))
        elif roll < 0.62:
            resource = self._keeping.choice(resources)
            text = self._keeping.choice(ITEMS)
            self._steps.append(Note(user, f"item_{number}", resource, text, at, hint, agent))
        elif roll < 0.78:
            self._steps.append(WritePage(user, self._keeping.choice(list(CATEGORIES))))
        elif roll < 0.88 or not items:
            self._steps.append(Forget(user, "resources", (self._keeping.choice(resources),)))
        else:
            self._steps.append(Forget(user, "items", (self._keeping.choice(items),)))

    def _with_words(self) -> Iterator[Step]:
        """The steps, each forgotten message of a person's and each forgotten document with something besides that only
        it says. An item that is forgotten by itself says nothing else: what said the same would go with it."""
        gone = Script(tuple(self._steps)).forgotten
        alone = {(step.user, one) for step in self._steps if isinstance(step, Forget) for one in step.ids}
        texts: dict[str, str] = {}
        for step in self._steps:
            if isinstance(step, Say) and step.role == "user" and (step.user, step.id) in gone:
                theme = self._chance.choice(self._themes)
                texts[step.id] = f"{step.text} {self._chance.choice(CARRIERS[theme])}"
                yield replace(step, text=texts[step.id])
            elif isinstance(step, Keep) and step.text is not None and (step.user, step.id) in gone:
                yield replace(step, text=f"{step.text} {DOCUMENTS_CARRY}")
            elif isinstance(step, Note) and (step.user, step.id) in alone:
                yield replace(step, text=ITEM_CARRIES)
            elif isinstance(step, Say) and step.repeats in texts:
                yield replace(step, text=repeating(texts[step.repeats], step.names))
            else:
                yield step

    def _user(self) -> str:
        return self._chance.choice(self._said()).user

    def _said(self) -> list[Say]:
        return [step for step in self._steps if isinstance(step, Say)]
