"""Values of a moment, with all that they must have: a test gives what it is about."""

from datetime import datetime

from ragpp.catalog import MemoryItem, generate_memory_key
from ragpp.jobs import Job
from ragpp.learned import Finding
from ragpp.models import Preference, Relationship, Rule


def preference(at: datetime, **given: object) -> Preference:
    """Tea, as a drink, and stated."""
    usual = {"id": "p", "category": "food", "key": "drink", "value": "tea", "confidence": 0.8, "stated": True}
    moments = dict.fromkeys(("updated_at", "occurred_at", "valid_from", "learned_at"), at)
    return Preference.model_validate(usual | {"version": 1} | moments | given)


def rule(at: datetime, text: str, **given: object) -> Rule:
    """One that is followed, named by its text."""
    usual = {"id": text, "text": text, "priority": 5, "active": True, "version": 1, "updated_at": at, "occurred_at": at}
    return Rule.model_validate(usual | given)


def relationship(at: datetime, **given: object) -> Relationship:
    """Where Noor lives."""
    ends = {"source_id": "s", "source": "Noor", "type": "LIVES_IN", "target_id": "t", "target": "Leeds"}
    moments = dict.fromkeys(("first_mention", "last_mention", "valid_from", "learned_at"), at)
    rest = {"id": "r", "weight": 1.0, "confidence": 0.8, "believed": 0.8, "lasting": False}
    return Relationship.model_validate(ends | moments | rest | given)


def finding(at: datetime, **given: object) -> Finding:
    """An event that was told of once."""
    usual = {"id": "f", "finding": "event", "text": "rows", "confidence": 0.6, "support": 1}
    return Finding.model_validate(usual | {"first_at": at, "last_at": at} | given)


def item(at: datetime, content: str, **given: object) -> MemoryItem:
    """A statement of a resource."""
    usual = {"item_id": "item_1", "content": content, "source_resource_id": "res_1", "confidence": 0.9}
    known = {"occurred_at": at, "created_at": at, "key": generate_memory_key(content)}
    return MemoryItem.model_validate(usual | known | given)


def job(at: datetime, stage: str, **given: object) -> Job:
    """One that waits."""
    usual = {"id": f"1.{stage}", "user_id": "u1", "stage": stage, "kind": f"{stage}.requested", "subject_id": "s"}
    moments = dict.fromkeys(("created_at", "due_at", "updated_at"), at)
    return Job.model_validate(usual | {"state": "pending", "attempts": 0} | moments | given)
