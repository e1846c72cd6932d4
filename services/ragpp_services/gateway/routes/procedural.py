"""Preferences and behavioural rules."""

from typing import Annotated
from uuid import uuid4

from fastapi import Query

from ragpp.api import ActivationIn, Forgotten, JudgementIn, Outcome, PreferenceIn, Restore, RuleChange, RuleIn, UserIn
from ragpp.errors import NotFound
from ragpp.fields import GivenTime, Id, Label
from ragpp.learned import Verdict
from ragpp.models import OneValue, Page, Preference, PreferenceEntry, Rule, RuleEntry
from ragpp_services.gateway.http import Cursor, GatewayParts, Limit, UserId, keyed_router
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.pinned import note_deleted
from ragpp_services.gateway.requester import Reader, Requester, Writer

router = keyed_router("procedural")


@router.get("/v1/preferences", summary="List preferences")
async def list_preferences(
    requester: Reader,
    parts: GatewayParts,
    user_id: UserId,
    category: Label | None = None,
    as_of: Annotated[
        GivenTime | None, Query(description="Preferences as they were at this moment; absent: now.")
    ] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Page[Preference]:
    """By category and key, as they are or as they were at `as_of`; deleted and rejected ones are not shown."""
    page = await parts.procedural.list_preferences(requester.scope("read", user_id), category, cursor, limit, as_of)
    requester.tells(one.id for one in page.items)
    return page


@router.post("/v1/preferences", status_code=201, summary="Set a preference")
async def set_preference(requester: Writer, parts: GatewayParts, body: PreferenceIn) -> Preference:
    """Writing one again keeps the new value and the greater confidence, as a new version."""
    requester.user_id = body.user_id
    entry = PreferenceEntry(
        id=body.id or f"p_{uuid4().hex}",
        category=parts.intake.redacted_label(body.category),
        key=parts.intake.redacted_label(body.key),
        value=parts.intake.redacted_value(body.key, body.value),
        confidence=body.confidence,
        stated=body.stated,
        occurred_at=parts.clock(),
    )
    preference = await parts.procedural.set_preference(requester.scope("write", body.user_id), entry)
    requester.tells((preference.id,))
    return preference


@router.get("/v1/preferences/{item_id:id}", summary="Read one preference")
async def get_preference(requester: Reader, parts: GatewayParts, item_id: Id, user_id: UserId) -> Preference:
    """Its current version."""
    return await parts.procedural.get_preference(requester.scope("read", user_id), item_id)


@router.get("/v1/preferences/{item_id:id}/versions", summary="Read every version")
async def preference_versions(requester: Reader, parts: GatewayParts, item_id: Id, user_id: UserId) -> Page[Preference]:
    """Newest first."""
    versions = await parts.procedural.preference_versions(requester.scope("read", user_id), item_id)
    return Page[Preference](items=tuple(versions))


@router.post("/v1/preferences/{item_id:id}/restore", summary="Restore an earlier version")
async def restore_preference(requester: Writer, parts: GatewayParts, item_id: Id, body: Restore) -> Preference:
    """Its value becomes current again, as a new version."""
    requester.items = 1
    scope = requester.scope("write", body.user_id)
    return await parts.procedural.restore_preference(scope, item_id, body.version)


@router.post("/v1/preferences/{item_id:id}/confirm", summary="Confirm a preference")
async def confirm_preference(requester: Writer, parts: GatewayParts, item_id: Id, body: JudgementIn) -> Preference:
    """Its value counts as stated, with a confidence of 1, until another is stated."""
    return await _judge(requester, parts, item_id, body, "confirmed")


@router.post("/v1/preferences/{item_id:id}/reject", summary="Reject a preference")
async def reject_preference(requester: Writer, parts: GatewayParts, item_id: Id, body: JudgementIn) -> Preference:
    """Its value is not shown, and not learned again however often it is said; another value is. When an earlier value
    is left, that one holds again and is answered; otherwise what was rejected, with its verdict."""
    return await _judge(requester, parts, item_id, body, "rejected")


async def _judge(requester: Requester, parts: Parts, item_id: str, body: JudgementIn, verdict: Verdict) -> Preference:
    requester.items = 1
    scope = requester.scope("write", body.user_id)
    value = OneValue(value=parts.intake.redacted_value("", body.value)) if body.names_a_value else None
    return await parts.procedural.judge_preference(scope, item_id, verdict, value)


@router.get("/v1/rules", summary="List behavioural rules")
async def list_rules(
    requester: Reader,
    parts: GatewayParts,
    user_id: UserId,
    active: bool | None = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Page[Rule]:
    """By priority, highest first. One that is `proposed` is not active: nobody said it plainly, and it is in no context
    until a person confirms it."""
    page = await parts.procedural.list_rules(requester.scope("read", user_id), active, cursor, limit)
    requester.tells(one.id for one in page.items)
    return page


@router.post("/v1/rules", status_code=201, summary="Create a behavioural rule")
async def create_rule(requester: Writer, parts: GatewayParts, body: RuleIn) -> Rule:
    """When one of its triggers is met, or the query is near its meaning, the rule is part of the context."""
    requester.user_id = body.user_id
    entry = RuleEntry(
        id=body.id or f"r_{uuid4().hex}",
        text=parts.intake.redacted(body.text),
        triggers=tuple(map(parts.intake.redacted_label, body.triggers)),
        priority=body.priority,
        active=body.active,
        occurred_at=parts.clock(),
    )
    rule = await parts.procedural.create_rule(requester.scope("write", body.user_id), entry)
    requester.tells((rule.id,))
    return rule


@router.get("/v1/rules/{item_id:id}", summary="Read one rule")
async def get_rule(requester: Reader, parts: GatewayParts, item_id: Id, user_id: UserId) -> Rule:
    """Its current version and its record of success."""
    return await parts.procedural.get_rule(requester.scope("read", user_id), item_id)


@router.patch("/v1/rules/{item_id:id}", summary="Change a rule")
async def update_rule(requester: Writer, parts: GatewayParts, item_id: Id, body: RuleChange) -> Rule:
    """Change what is given, as a new version. `aside`, the reason, makes the rule inactive. Who gives one that is
    proposed `active`, `aside` or another text has decided on it."""
    requester.items = 1
    return await parts.procedural.update_rule(
        requester.scope("write", body.user_id),
        item_id,
        text=None if body.text is None else parts.intake.redacted(body.text),
        triggers=None if body.triggers is None else tuple(map(parts.intake.redacted_label, body.triggers)),
        priority=body.priority,
        active=body.active,
        aside=None if body.aside is None else parts.intake.redacted(body.aside),
    )


@router.get("/v1/rules/{item_id:id}/versions", summary="Read every version")
async def rule_versions(requester: Reader, parts: GatewayParts, item_id: Id, user_id: UserId) -> Page[Rule]:
    """Newest first."""
    versions = await parts.procedural.rule_versions(requester.scope("read", user_id), item_id)
    return Page[Rule](items=tuple(versions))


@router.post("/v1/rules/{item_id:id}/restore", summary="Restore an earlier version")
async def restore_rule(requester: Writer, parts: GatewayParts, item_id: Id, body: Restore) -> Rule:
    """It becomes current again, as a new version."""
    requester.items = 1
    return await parts.procedural.restore_rule(requester.scope("write", body.user_id), item_id, body.version)


@router.post("/v1/rules/{item_id:id}/activations", summary="Report that a rule was activated")
async def record_activation(requester: Writer, parts: GatewayParts, item_id: Id, body: ActivationIn) -> Rule:
    """Counts in `activation_count`, once for an `id`. A recall that finds the rule, and an outcome, count nothing."""
    requester.items = 1
    return await parts.procedural.record_activation(requester.scope("write", body.user_id), item_id, body.id)


@router.post("/v1/rules/{item_id:id}/outcomes", summary="Report whether following a rule worked")
async def record_outcome(requester: Writer, parts: GatewayParts, item_id: Id, body: Outcome) -> Rule:
    """Counts an outcome and moves the success rate, once for an `id`."""
    requester.items = 1
    scope = requester.scope("write", body.user_id)
    return await parts.procedural.record_outcome(scope, item_id, body.success, body.id)


@router.post("/v1/rules/{item_id:id}/confirm", summary="Confirm a rule")
async def confirm_rule(requester: Writer, parts: GatewayParts, item_id: Id, body: UserIn) -> Rule:
    """It is active, and no longer proposed."""
    return await _judge_rule(requester, parts, item_id, body, "confirmed")


@router.post("/v1/rules/{item_id:id}/reject", summary="Reject a rule")
async def reject_rule(requester: Writer, parts: GatewayParts, item_id: Id, body: UserIn) -> Rule:
    """It is deleted, and not learned again however often it is said; answered as it was. One that is no proposal is
    deleted by a key that may `forget`."""
    scope = requester.scope("write", body.user_id)
    if not (await parts.procedural.get_rule(scope, item_id)).proposed:
        requester.scope("forget", body.user_id)
    return await _judge_rule(requester, parts, item_id, body, "rejected")


async def _judge_rule(requester: Requester, parts: Parts, item_id: str, body: UserIn, verdict: Verdict) -> Rule:
    requester.items = 1
    scope = requester.scope("write", body.user_id)
    judged = await parts.procedural.judge_rule(scope, item_id, verdict)
    if judged.deleted:
        await note_deleted(requester, parts, scope, item_id)
    return judged


@router.delete("/v1/preferences/{item_id:id}", summary="Forget a preference")
@router.delete("/v1/rules/{item_id:id}", summary="Forget a rule")
@router.delete("/v1/findings/{item_id:id}", summary="Forget a finding")
async def forget_procedural(requester: Writer, parts: GatewayParts, item_id: Id, user_id: UserId) -> Forgotten:
    """It is deleted with every version or all evidence; a finding is not made again."""
    scope = requester.scope("forget", user_id)
    forgotten = await parts.procedural.forget(scope, [item_id])
    if not forgotten:
        raise NotFound("this user has no preference, rule or finding of that id")
    await note_deleted(requester, parts, scope, item_id, count=forgotten)
    return Forgotten(forgotten=forgotten, tiers={"procedural": "ok"})
