"""The ledger: one append-only event for each change, and what is still to be done about it."""

from ragpp.ledger.events import STAGES, EventKind, NewEvent, Stage, lock_user, pending, record
from ragpp.ledger.work import Failure, Lag, Work, WorkKey, WorkLedger, WorkState

__all__ = [
    "STAGES",
    "EventKind",
    "Failure",
    "Lag",
    "NewEvent",
    "Stage",
    "Work",
    "WorkKey",
    "WorkLedger",
    "WorkState",
    "lock_user",
    "pending",
    "record",
]
