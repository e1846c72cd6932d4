"""Entities and relationships of the user's graph."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from ragpp.api import Forgotten, MergeIn, SplitIn, UserIn
from ragpp.errors import InvalidInput, NotFound
from ragpp.fields import Id, Moment
from ragpp.learned import RelationshipState, Verdict
from ragpp.models import Entity, EntityLabel, Page, Relationship
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

router = APIRouter(tags=["graph"], responses=RESPONSES)


@router.get("/v1/entities", response_model=Page[Entity], summary="List entities")
async def list_entities(
    request: Request,
    principal: Reader,
    user_id: UserId,
    label: EntityLabel | None = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """People, organisations, places, events and things that the user's conversations name."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    return answer(await parts.semantic.list_entities(principal.scope("read", user_id), label, cursor, limit))


@router.post(
    "/v1/entities/{entity_id:id}/merge",
    response_model=Entity,
    openapi_extra=body_schema(MergeIn),
    summary="Make one entity of two",
)
async def merge_entities(request: Request, principal: Writer, entity_id: Id) -> Response:
    """The absorbed entity's name becomes an alias; `split` undoes it."""
    body = await read_body(request, MergeIn)
    note(request, user_id=body.user_id, items=2)
    if body.absorb_id == entity_id:
        raise InvalidInput("an entity cannot absorb itself")
    parts: Parts = request.app.state.parts
    return answer(
        await parts.semantic.merge_entities(principal.scope("write", body.user_id), entity_id, body.absorb_id)
    )


@router.post(
    "/v1/entities/{entity_id:id}/split",
    response_model=Page[Entity],
    openapi_extra=body_schema(SplitIn),
    summary="Undo a merge",
)
async def split_entity(request: Request, principal: Writer, entity_id: Id) -> Response:
    """Both entities as they were; what was learned since stays on the one in the path."""
    body = await read_body(request, SplitIn)
    note(request, user_id=body.user_id, items=2)
    parts: Parts = request.app.state.parts
    pair = await parts.semantic.split_entity(principal.scope("write", body.user_id), entity_id, body.absorbed_id)
    return answer(Page[Entity](items=pair))


@router.get("/v1/entities/{entity_id:id}", response_model=Entity, summary="Read one entity")
async def get_entity(request: Request, principal: Reader, entity_id: Id, user_id: UserId) -> Response:
    """The entity with its aliases and the interactions that it rests on."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    return answer(await parts.semantic.get_entity(principal.scope("read", user_id), entity_id))


@router.get("/v1/relationships", response_model=Page[Relationship], summary="List relationships")
async def list_relationships(
    request: Request,
    principal: Reader,
    user_id: UserId,
    entity_id: Id | None = None,
    as_of: Annotated[Moment | None, Query(description="As they were at this moment.")] = None,
    state: Annotated[RelationshipState, Query(description="Of what state, at `as_of` or now.")] = "current",
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """Of one entity or of all; as they are, or as they were at `as_of`, confidence decayed to that moment. `current`
    ones hold; `ended` ones held until `valid_to`; `archived` ones have faded, and can be restored; `rejected` ones are
    what a person said is not true."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    scope = principal.scope("read", user_id)
    return answer(await parts.semantic.list_relationships(scope, entity_id, as_of, cursor, limit, state))


@router.get("/v1/relationships/{relationship_id:id}", response_model=Relationship, summary="Read one relationship")
async def get_relationship(request: Request, principal: Reader, relationship_id: Id, user_id: UserId) -> Response:
    """The relationship with the interactions that it rests on."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    return answer(await parts.semantic.get_relationship(principal.scope("read", user_id), relationship_id))


@router.post(
    "/v1/relationships/{relationship_id:id}/confirm",
    response_model=Relationship,
    openapi_extra=body_schema(UserIn),
    summary="Confirm a relationship",
)
async def confirm_relationship(request: Request, principal: Writer, relationship_id: Id) -> Response:
    """Its confidence is 1 from now, and it is never archived. The last verdict counts."""
    return await _judge(request, principal, relationship_id, "confirmed")


@router.post(
    "/v1/relationships/{relationship_id:id}/reject",
    response_model=Relationship,
    openapi_extra=body_schema(UserIn),
    summary="Reject a relationship",
)
async def reject_relationship(request: Request, principal: Writer, relationship_id: Id) -> Response:
    """It is not shown, ends no other, and is not learned again however often it is said; `confirm` takes that back."""
    return await _judge(request, principal, relationship_id, "rejected")


async def _judge(request: Request, principal: Writer, relationship_id: str, verdict: Verdict) -> Response:
    body = await read_body(request, UserIn)
    note(request, user_id=body.user_id, items=1)
    parts: Parts = request.app.state.parts
    scope = principal.scope("write", body.user_id)
    return answer(await parts.semantic.judge_relationship(scope, relationship_id, verdict))


@router.post(
    "/v1/relationships/{relationship_id:id}/restore",
    response_model=Relationship,
    openapi_extra=body_schema(UserIn),
    summary="Restore an archived relationship",
)
async def restore_relationship(request: Request, principal: Writer, relationship_id: Id) -> Response:
    """It is shown again, at the confidence of a first mention. A 409 for one that is not archived."""
    body = await read_body(request, UserIn)
    note(request, user_id=body.user_id, items=1)
    parts: Parts = request.app.state.parts
    scope = principal.scope("write", body.user_id)
    return answer(await parts.semantic.restore_relationship(scope, relationship_id))


@router.delete("/v1/entities/{item_id:id}", response_model=Forgotten, summary="Forget an entity")
@router.delete("/v1/relationships/{item_id:id}", response_model=Forgotten, summary="Forget a relationship")
async def forget_from_graph(request: Request, principal: Writer, item_id: Id, user_id: UserId) -> Response:
    """An entity is forgotten with its relationships; the interactions that named it stay."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    scope = principal.scope("forget", user_id)
    forgotten = await parts.semantic.forget(scope, [item_id])
    if not forgotten:
        raise NotFound("this user's graph has nothing of that id")
    await parts.pins.unpin(scope, "semantic", [item_id])
    return answer(Forgotten(forgotten=forgotten, tiers={"semantic": "ok"}))
