"""The ledger: one append-only event for each change, and what is still to be done about it."""

from ragpp.ledger.events import (
    DELETING,
    STAGES,
    EventKind,
    NewEvent,
    RequestKind,
    Stage,
    lock_user,
    pending,
    record,
    request,
    request_anew,
)
from ragpp.ledger.work import Failure, Lag, Result, Work, WorkKey, WorkLedger, WorkState

__all__ = [
    "DELETING",
    "STAGES",
    "EventKind",
    "Failure",
    "Lag",
    "NewEvent",
    "RequestKind",
    "Result",
    "Stage",
    "Work",
    "WorkKey",
    "WorkLedger",
    "WorkState",
    "lock_user",
    "pending",
    "record",
    "request",
    "request_anew",
]
