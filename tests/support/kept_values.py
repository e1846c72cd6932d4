"""Values of requests as they are kept: without secrets, on one line, exactly."""

import json
from datetime import datetime

from ragpp.redaction import redact
from tests.support.hostile import Json


def redacted(value: Json) -> Json:
    """`value` with every text in it redacted, keys as well."""
    if isinstance(value, str):
        return redact(value).text
    if isinstance(value, list):
        return [redacted(item) for item in value]
    if isinstance(value, dict):
        return {redact(key).text: redacted(item) for key, item in value.items()}
    return value


def label(value: Json) -> Json:
    """A short text, or several, as redaction leaves it: cut where it grew beyond what a label holds."""
    if isinstance(value, list):
        return [label(item) for item in value]
    return redact(value).text[:100] if isinstance(value, str) else value


def exactly(value: Json) -> str:
    """A text that differs where two values do, 1 and 1.0 included."""
    return json.dumps(value, sort_keys=True)


def moment(value: Json) -> datetime:
    """The moment that an ISO 8601 text names."""
    return datetime.fromisoformat(str(value))
