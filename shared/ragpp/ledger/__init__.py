"""The ledger: one append-only event for each change, and what is still to be done about it."""

from ragpp.ledger.events import STAGES, EventKind, NewEvent, RequestKind, Stage, lock_user, pending, record, request
from ragpp.ledger.work import Failure, Lag, Result, Work, WorkKey, WorkLedger, WorkState

__all__ = [
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
]
