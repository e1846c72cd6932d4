"""The tracing of what a process does, by its settings."""

from collections.abc import Iterator
from contextlib import contextmanager

from ragpp.settings import TracingSettings


@contextmanager
def tracing(settings: TracingSettings, service: str) -> Iterator[None]:
    """Record while inside, as `service`, where the settings have an endpoint; enter it first, so that it ends last."""
    if settings.traces_url is None:
        yield
        return
    from ragpp.observability.recording import sending  # noqa: PLC0415 - the library, which only a traced process needs

    with sending(settings.traces_url, service, share=settings.sample_share, headers=settings.header_values):
        yield
