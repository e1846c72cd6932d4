"""Celery's side of the workers: a task says which stage to look at; the work is in plain coroutines."""

from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Final

import celery
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from ragpp_services.workers.running.digest import STAGES
from ragpp_services.workers.running.loop import Ending
from ragpp_services.workers.running.runtime import Runtime

TASK: Final = "ragpp.work"


class RuntimeSlot:
    """Holds this process's runtime from before Celery takes work until it is told to stop."""

    def __init__(self) -> None:
        self.runtime: Runtime | None = None

    def get(self) -> Runtime:
        """Raises Ending when the worker is not ready, or no longer."""
        if self.runtime is None:
            raise Ending("the worker is not ready")
        return self.runtime


def make_celery(broker_url: str, key_prefix: str, slot: RuntimeSlot) -> celery.Celery:
    """The Celery application: one task, a queue for each stage, nothing kept in the broker but hints in the queues.

    They are acknowledged early: the ledger's lease, not the broker, brings back what a killed worker had.
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
    def work(stage: str) -> None:
        with suppress(Ending, CancelledError):  # others find the work in the ledger
            slot.get().work(stage)

    return app


def leave_hint(app: celery.Celery, stage: str) -> bool:
    """Put a hint into the stage's queue; False, and nothing, where one lies. Raises OSError when the broker is down."""
    if stage not in STAGES:
        raise ValueError(f"{stage!r} is not a stage")
    try:
        with app.producer_pool.acquire(block=True) as producer:
            if producer.channel.queue_declare(stage).message_count:
                return False
            app.send_task(TASK, args=[stage], queue=stage, producer=producer, retry=False)
    except (OperationalError, RedisError) as error:
        raise OSError("the broker does not answer") from error
    return True
