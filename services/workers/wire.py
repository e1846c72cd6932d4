"""How a batch of work travels through the broker: names and arguments only, as JSON."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import JsonValue, TypeAdapter

from ragpp.ledger import Work, WorkKey
from ragpp.models import Scope, Value


class _WireWork(Value):
    event_id: int
    stage: str
    tenant_id: str
    user_id: str
    kind: str
    subject_id: str
    occurred_at: datetime
    attempts: int
    payload: Mapping[str, JsonValue]


_BATCH: TypeAdapter[list[_WireWork]] = TypeAdapter(list[_WireWork])


def to_wire(batch: Sequence[Work]) -> list[dict[str, JsonValue]]:
    """`batch` as JSON values."""
    rows = [
        _WireWork(
            event_id=work.key.event_id,
            stage=work.key.stage,
            tenant_id=work.scope.tenant_id,
            user_id=work.scope.user_id,
            kind=work.kind,
            subject_id=work.subject_id,
            occurred_at=work.occurred_at,
            attempts=work.attempts,
            payload=work.payload,
        )
        for work in batch
    ]
    dumped: list[dict[str, JsonValue]] = _BATCH.dump_python(rows, mode="json")
    return dumped


def from_wire(rows: Sequence[Mapping[str, JsonValue]]) -> list[Work]:
    """The batch that `to_wire` wrote. Raises ValueError for anything else."""
    return [
        Work(
            key=WorkKey(row.event_id, row.stage),
            scope=Scope(tenant_id=row.tenant_id, user_id=row.user_id),
            kind=row.kind,
            subject_id=row.subject_id,
            occurred_at=row.occurred_at,
            attempts=row.attempts,
            payload=dict(row.payload),
        )
        for row in _BATCH.validate_python(list(rows))
    ]
