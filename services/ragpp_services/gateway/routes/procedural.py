"""Preferences and behavioural rules."""

from typing import Annotated
from uuid import uuid4

from fastapi import APIRouter, Path, Query, Request, Response

from ragpp.api import Forgotten, JudgementIn, Outcome, PreferenceIn, Restore, RuleChange, RuleIn, UserIn
from ragpp.errors import NotFound
from ragpp.fields import Id, Label, Moment
from ragpp.learned import Verdict
from ragpp.models import Page, Preference, PreferenceEntry, Rule, RuleEntry
from ragpp_services.gateway.http import (
    RESPONSES,
    Cursor,
    Limit,
    Reader,
    UserId,
    Writer,
    answer,
    body_schema,
    note,
    read_body,
)
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.pinned import unpin_procedural

router = APIRouter(tags=["procedural"], responses=RESPONSES)
ItemId = Annotated[Id, Path()]


@router.get("/v1/preferences", response_model=Page[Preference], summary="List preferences")
async def list_preferences(
    request: Request,
    principal: Reader,
    user_id: UserId,
    category: Label | None = None,
    as_of: Annotated[Moment | None, Query(description="What had been said by this moment.")] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """By category and key, as they are or as they were at `as_of`; deleted and rejected ones are not shown."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    scope = principal.scope("read", user_id)
    return answer(await parts.procedural.list_preferences(scope, category, cursor, limit, as_of))


@router.post(
    "/v1/preferences",
    status_code=201,
    response_model=Preference,
    openapi_extra=body_schema(PreferenceIn),
    summary="Set a preference",
)
async def set_preference(request: Request, principal: Writer) -> Response:
    """Writing one again keeps the new value and the greater confidence, as a new version."""
    body = await read_body(request, PreferenceIn)
    note(request, user_id=body.user_id, items=1)
    parts: Parts = request.app.state.parts
    entry = PreferenceEntry(
        id=body.id or f"p_{uuid4().hex}",
        category=parts.intake.redacted_label(body.category),
        key=parts.intake.redacted_label(body.key),
        value=parts.intake.redacted_value(body.key, body.value),
        confidence=body.confidence,
        stated=body.stated,
        occurred_at=parts.clock(),
    )
    return answer(await parts.procedural.set_preference(principal.scope("write", body.user_id), entry), 201)


@router.get("/v1/preferences/{item_id:id}", response_model=Preference, summary="Read one preference")
async def get_preference(request: Request, principal: Reader, item_id: ItemId, user_id: UserId) -> Response:
    """Its current version."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    return answer(await parts.procedural.get_preference(principal.scope("read", user_id), item_id))


@router.get("/v1/preferences/{item_id:id}/versions", response_model=Page[Preference], summary="Read every version")
async def preference_versions(request: Request, principal: Reader, item_id: ItemId, user_id: UserId) -> Response:
    """Newest first."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    versions = await parts.procedural.preference_versions(principal.scope("read", user_id), item_id)
    return answer(Page[Preference](items=tuple(versions)))


@router.post(
    "/v1/preferences/{item_id:id}/restore",
    response_model=Preference,
    openapi_extra=body_schema(Restore),
    summary="Restore an earlier version",
)
async def restore_preference(request: Request, principal: Writer, item_id: ItemId) -> Response:
    """Its value becomes current again, as a new version."""
    body = await read_body(request, Restore)
    note(request, user_id=body.user_id, items=1)
    parts: Parts = request.app.state.parts
    scope = principal.scope("write", body.user_id)
    return answer(await parts.procedural.restore_preference(scope, item_id, body.version))


@router.post(
    "/v1/preferences/{item_id:id}/confirm",
    response_model=Preference,
    openapi_extra=body_schema(JudgementIn),
    summary="Confirm a preference",
)
async def confirm_preference(request: Request, principal: Writer, item_id: ItemId) -> Response:
    """Its value counts as stated, with a confidence of 1, until another is stated."""
    return await _judge(request, principal, item_id, "confirmed")


@router.post(
    "/v1/preferences/{item_id:id}/reject",
    response_model=Preference,
    openapi_extra=body_schema(JudgementIn),
    summary="Reject a preference",
)
async def reject_preference(request: Request, principal: Writer, item_id: ItemId) -> Response:
    """Its value is not shown, and not learned again however often it is said; another value is. When an earlier value
    is left, that one holds again and is answered; otherwise what was rejected, with its verdict."""
    return await _judge(request, principal, item_id, "rejected")


async def _judge(request: Request, principal: Writer, item_id: str, verdict: Verdict) -> Response:
    body = await read_body(request, JudgementIn)
    note(request, user_id=body.user_id, items=1)
    parts: Parts = request.app.state.parts
    scope = principal.scope("write", body.user_id)
    value = None if body.value is None else parts.intake.redacted(body.value)
    return answer(await parts.procedural.judge_preference(scope, item_id, verdict, value))


@router.get("/v1/rules", response_model=Page[Rule], summary="List behavioural rules")
async def list_rules(
    request: Request,
    principal: Reader,
    user_id: UserId,
    active: bool | None = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """By priority, highest first. One that is `proposed` is not active: nobody said it plainly, and it is in no context
    until a person confirms it."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    return answer(await parts.procedural.list_rules(principal.scope("read", user_id), active, cursor, limit))


@router.post(
    "/v1/rules",
    status_code=201,
    response_model=Rule,
    openapi_extra=body_schema(RuleIn),
    summary="Create a behavioural rule",
)
async def create_rule(request: Request, principal: Writer) -> Response:
    """When one of its triggers is met, or the query is near its meaning, the rule is part of the context."""
    body = await read_body(request, RuleIn)
    note(request, user_id=body.user_id, items=1)
    parts: Parts = request.app.state.parts
    entry = RuleEntry(
        id=body.id or f"r_{uuid4().hex}",
        text=parts.intake.redacted(body.text),
        triggers=tuple(map(parts.intake.redacted_label, body.triggers)),
        priority=body.priority,
        active=body.active,
        occurred_at=parts.clock(),
    )
    return answer(await parts.procedural.create_rule(principal.scope("write", body.user_id), entry), 201)


@router.get("/v1/rules/{item_id:id}", response_model=Rule, summary="Read one rule")
async def get_rule(request: Request, principal: Reader, item_id: ItemId, user_id: UserId) -> Response:
    """Its current version and its record of success."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    return answer(await parts.procedural.get_rule(principal.scope("read", user_id), item_id))


@router.patch(
    "/v1/rules/{item_id:id}", response_model=Rule, openapi_extra=body_schema(RuleChange), summary="Change a rule"
)
async def update_rule(request: Request, principal: Writer, item_id: ItemId) -> Response:
    """What is given changes, as a new version. `aside`, the reason, makes the rule inactive. Who gives one that is
    proposed `active`, `aside` or another text has decided on it."""
    body = await read_body(request, RuleChange)
    note(request, user_id=body.user_id, items=1)
    parts: Parts = request.app.state.parts
    changed = await parts.procedural.update_rule(
        principal.scope("write", body.user_id),
        item_id,
        text=None if body.text is None else parts.intake.redacted(body.text),
        triggers=None if body.triggers is None else tuple(map(parts.intake.redacted_label, body.triggers)),
        priority=body.priority,
        active=body.active,
        aside=None if body.aside is None else parts.intake.redacted(body.aside),
    )
    return answer(changed)


@router.get("/v1/rules/{item_id:id}/versions", response_model=Page[Rule], summary="Read every version")
async def rule_versions(request: Request, principal: Reader, item_id: ItemId, user_id: UserId) -> Response:
    """Newest first."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    versions = await parts.procedural.rule_versions(principal.scope("read", user_id), item_id)
    return answer(Page[Rule](items=tuple(versions)))


@router.post(
    "/v1/rules/{item_id:id}/restore",
    response_model=Rule,
    openapi_extra=body_schema(Restore),
    summary="Restore an earlier version",
)
async def restore_rule(request: Request, principal: Writer, item_id: ItemId) -> Response:
    """It becomes current again, as a new version."""
    body = await read_body(request, Restore)
    note(request, user_id=body.user_id, items=1)
    parts: Parts = request.app.state.parts
    scope = principal.scope("write", body.user_id)
    return answer(await parts.procedural.restore_rule(scope, item_id, body.version))


@router.post(
    "/v1/rules/{item_id:id}/outcomes",
    response_model=Rule,
    openapi_extra=body_schema(Outcome),
    summary="Report whether following a rule worked",
)
async def record_outcome(request: Request, principal: Writer, item_id: ItemId) -> Response:
    """Counts an activation and moves the success rate."""
    body = await read_body(request, Outcome)
    note(request, user_id=body.user_id, items=1)
    parts: Parts = request.app.state.parts
    scope = principal.scope("write", body.user_id)
    return answer(await parts.procedural.record_outcome(scope, item_id, body.success))


@router.post(
    "/v1/rules/{item_id:id}/confirm",
    response_model=Rule,
    openapi_extra=body_schema(UserIn),
    summary="Confirm a rule",
)
async def confirm_rule(request: Request, principal: Writer, item_id: ItemId) -> Response:
    """It is active, and no longer proposed."""
    return await _judge_rule(request, principal, item_id, "confirmed")


@router.post(
    "/v1/rules/{item_id:id}/reject",
    response_model=Rule,
    openapi_extra=body_schema(UserIn),
    summary="Reject a proposed rule",
)
async def reject_rule(request: Request, principal: Writer, item_id: ItemId) -> Response:
    """It is deleted, and not learned again however often it is said; answered as it was. A rule that is not proposed is
    a 409."""
    return await _judge_rule(request, principal, item_id, "rejected")


async def _judge_rule(request: Request, principal: Writer, item_id: str, verdict: Verdict) -> Response:
    body = await read_body(request, UserIn)
    note(request, user_id=body.user_id, items=1)
    parts: Parts = request.app.state.parts
    scope = principal.scope("write", body.user_id)
    judged = await parts.procedural.judge_rule(scope, item_id, verdict)
    if judged.deleted:
        await unpin_procedural(parts, scope, item_id)
    return answer(judged)


@router.delete("/v1/preferences/{item_id:id}", response_model=Forgotten, summary="Forget a preference")
@router.delete("/v1/rules/{item_id:id}", response_model=Forgotten, summary="Forget a rule")
@router.delete("/v1/findings/{item_id:id}", response_model=Forgotten, summary="Forget a finding")
async def forget_procedural(request: Request, principal: Writer, item_id: ItemId, user_id: UserId) -> Response:
    """It is deleted with every version or all evidence; a finding is not made again."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    scope = principal.scope("forget", user_id)
    forgotten = await parts.procedural.forget(scope, [item_id])
    if not forgotten:
        raise NotFound("this user has no preference, rule or finding of that id")
    await unpin_procedural(parts, scope, item_id)
    return answer(Forgotten(forgotten=forgotten, tiers={"procedural": "ok"}))
