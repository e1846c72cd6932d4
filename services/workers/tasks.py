"""Celery's side of the workers: names and arguments; the work is in plain coroutines."""

from collections.abc import Mapping, Sequence
from typing import Final

import celery
from kombu.exceptions import OperationalError
from pydantic import JsonValue

from services.workers.digest import STAGES
from services.workers.runtime import Runtime

TASK: Final = "ragpp.digest"


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

    return app


def publish_with(app: celery.Celery, stage: str, batch: list[dict[str, JsonValue]], owner: str) -> None:
    """Send a batch to its stage's queue. Raises OSError when the broker is down."""
    if stage not in STAGES:
        raise ValueError(f"{stage!r} is not a stage")
    try:
        app.send_task(TASK, args=[stage, batch, owner], queue=stage, retry=False)
    except OperationalError as error:
        raise OSError("the broker does not answer") from error
