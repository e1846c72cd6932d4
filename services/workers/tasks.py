"""Celery's side of the workers: names and arguments; the work is in plain coroutines."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Final

import celery
from celery.beat import EmbeddedService
from celery.beat import Scheduler as BeatScheduler
from kombu.exceptions import OperationalError
from pydantic import JsonValue

from services.workers.digest import STAGES
from services.workers.runtime import Runtime
from services.workers.schedule import Tick

TASK: Final = "ragpp.digest"
TICK: Final = "ragpp.tick"
TICK_QUEUE: Final = "maintain"


class RuntimeSlot:
    """Holds this process's runtime from before Celery takes work until it is told to stop."""

    def __init__(self) -> None:
        self.runtime: Runtime | None = None

    def get(self) -> Runtime:
        """Raises RuntimeError before the worker is ready."""
        if self.runtime is None:
            raise RuntimeError("the worker is not ready")
        return self.runtime


def make_celery(broker_url: str, key_prefix: str, slot: RuntimeSlot) -> celery.Celery:
    """The Celery application: one task, a queue for each stage, nothing kept in the broker but the queues.

    Messages are acknowledged early: the ledger's lease, not the broker, brings back what a killed worker had.
    """
    app = celery.Celery("ragpp", broker=broker_url)
    app.conf.update(
        task_ignore_result=True,
        task_acks_late=False,
        task_serializer="json",
        accept_content=["json"],
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_send_task_events=False,
        worker_enable_remote_control=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            "global_keyprefix": f"{key_prefix}celery:",
            "socket_timeout": 5,
            "socket_connect_timeout": 2,
            "retry_on_timeout": True,
        },
        task_default_queue="observe",
    )

    @app.task(name=TASK, ignore_result=True)  # type: ignore[untyped-decorator]  # celery has no types
    def digest(stage: str, batch: Sequence[Mapping[str, JsonValue]], owner: str) -> None:
        slot.get().do(stage, batch, owner)

    @app.task(name=TICK, ignore_result=True)  # type: ignore[untyped-decorator]  # celery has no types
    def tick(what: Tick) -> None:
        slot.get().tick(what)

    return app


def start_beat(app: celery.Celery, every: Mapping[Tick, float]) -> Callable[[], None]:
    """Run Celery's beat in a thread of this process, with its schedule in memory: a tick of each kind every so many
    seconds. Returns what stops it.

    A tick says nothing but which kind it is, so one that is lost, late or doubled, as by the beats of two workers, does
    no harm. One that was not taken before the next is due expires, so that none pile up.
    """
    app.conf.beat_schedule = {
        what: {
            "task": TICK,
            "args": (what,),
            "schedule": timedelta(seconds=seconds),
            "options": {"queue": TICK_QUEUE, "expires": seconds},
        }
        for what, seconds in every.items()
    }
    beat = EmbeddedService(app, thread=True, scheduler_cls=BeatScheduler)
    beat.start()

    def stop() -> None:
        beat.service.stop()  # without waiting: its thread ends with the process while the broker is down

    return stop


def publish_with(app: celery.Celery, stage: str, batch: list[dict[str, JsonValue]], owner: str) -> None:
    """Send a batch to its stage's queue. Raises OSError when the broker is down."""
    if stage not in STAGES:
        raise ValueError(f"{stage!r} is not a stage")
    try:
        app.send_task(TASK, args=[stage, batch, owner], queue=stage, retry=False)
    except OperationalError as error:
        raise OSError("the broker does not answer") from error
