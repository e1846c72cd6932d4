"""Logs are events with fields, one JSON object a line."""

import logging
import sys

import structlog

from ragpp.errors.summaries import OURS
from ragpp.observability.traces import trace_id
from ragpp.settings import LogSettings


def _with_trace(
    _logger: structlog.typing.WrappedLogger, _name: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """Where a trace is recorded, its lines have its id."""
    if (known := trace_id()) is not None:
        event["trace_id"] = known
    return event


def configure_logs(settings: LogSettings, service: str) -> None:
    """Send structlog and the standard library's loggers to stderr in one format, each line with the `service`, whatever
    thread it is from. Call once, at start."""

    def of_service(
        _logger: structlog.typing.WrappedLogger, _name: str, event: structlog.typing.EventDict
    ) -> structlog.typing.EventDict:
        return {"service": service, **event}

    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        of_service,
        _with_trace,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer() if settings.format == "json" else structlog.dev.ConsoleRenderer()
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, settings.level)),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
            foreign_pre_chain=shared,
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel("INFO" if settings.level == "DEBUG" else settings.level)
    for ours in OURS:  # at DEBUG, libraries tell what they send: headers, prompts
        logging.getLogger(ours).setLevel(settings.level)
    for noisy in ("uvicorn.access", "neo4j", "httpx"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
