"""Entities and relationships of the user's graph."""

from typing import Annotated

from fastapi import Query

from ragpp.api import EntityChange, Forgotten, MergeIn, RelationshipIn, SplitIn, UserIn
from ragpp.errors import InvalidInput, NotFound
from ragpp.fields import GivenTime, Id
from ragpp.learned import RelationshipState
from ragpp.models import Entity, EntityLabel, Page, Relationship
from ragpp_services.gateway.http import Cursor, GatewayParts, Limit, UserId, keyed_router
from ragpp_services.gateway.requester import Reader, Writer
from ragpp_services.gateway.stating import called, stated

router = keyed_router("graph")


@router.get("/v1/entities", summary="List entities")
async def list_entities(
    requester: Reader,
    parts: GatewayParts,
    user_id: UserId,
    label: EntityLabel | None = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Page[Entity]:
    """People, organisations, places, events and things that the user's conversations name."""
    page = await parts.semantic.list_entities(requester.scope("read", user_id), label, cursor, limit)
    requester.tells(one.id for one in page.items)
    return page


@router.post("/v1/entities/{entity_id:id}/merge", summary="Make one entity of two")
async def merge_entities(requester: Writer, parts: GatewayParts, entity_id: Id, body: MergeIn) -> Entity:
    """The absorbed entity's name becomes an alias; `split` undoes it."""
    requester.user_id = body.user_id
    if body.absorb_id == entity_id:
        raise InvalidInput("an entity cannot absorb itself")
    requester.tells((entity_id, body.absorb_id))
    return await parts.semantic.merge_entities(requester.scope("write", body.user_id), entity_id, body.absorb_id)


@router.post("/v1/entities/{entity_id:id}/split", summary="Undo a merge")
async def split_entity(requester: Writer, parts: GatewayParts, entity_id: Id, body: SplitIn) -> Page[Entity]:
    """Both entities as they were; what was learned since stays on the one in the path."""
    scope = requester.scope("write", body.user_id)
    entities = await parts.semantic.split_entity(scope, entity_id, body.absorbed_id)
    requester.tells(one.id for one in entities)
    return Page[Entity](items=entities)


@router.get("/v1/entities/{entity_id:id}", summary="Read one entity")
async def get_entity(requester: Reader, parts: GatewayParts, entity_id: Id, user_id: UserId) -> Entity:
    """The entity with its aliases and the interactions that it rests on."""
    return await parts.semantic.get_entity(requester.scope("read", user_id), entity_id)


@router.patch("/v1/entities/{entity_id:id}", summary="Correct what an entity is called, or what it is")
async def relabel_entity(requester: Writer, parts: GatewayParts, entity_id: Id, body: EntityChange) -> Entity:
    """Its old name becomes an alias, by which later messages are still understood; its relationships stay. A 409 names
    the entity that bears the name already: merge the two."""
    requester.items = 1
    name = None if body.name is None else called(parts, body.name)
    return await parts.semantic.relabel_entity(requester.scope("write", body.user_id), entity_id, name, body.label)


@router.get("/v1/relationships", summary="List relationships")
async def list_relationships(
    requester: Reader,
    parts: GatewayParts,
    user_id: UserId,
    entity_id: Id | None = None,
    as_of: Annotated[
        GivenTime | None, Query(description="Relationships as they were at this moment; absent: now.")
    ] = None,
    state: Annotated[
        RelationshipState, Query(description="Only relationships of this state, at `as_of` or now.")
    ] = "current",
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Page[Relationship]:
    """The relationships of one entity or of all; as they are, or as they were at `as_of`, confidence decayed to that
    moment. `current` ones hold; `ended` ones held until `valid_to`; `archived` ones have faded, and can be restored;
    `rejected` ones are what a person said is not true."""
    scope = requester.scope("read", user_id)
    page = await parts.semantic.list_relationships(scope, entity_id, as_of, cursor, limit, state)
    requester.tells(one.id for one in page.items)
    return page


@router.post("/v1/relationships", status_code=201, summary="State a relationship")
async def state_relationship(requester: Writer, parts: GatewayParts, body: RelationshipIn) -> Relationship:
    """It is confirmed, and rests on no message: forgetting messages leaves it, forgetting it or one of its ends does
    not. It ends others, and is ended by them, as one that a message says. What is still to come is a 422."""
    requester.user_id = body.user_id
    scope = requester.scope("write", body.user_id)
    relationship = await parts.semantic.state_relationship(scope, await stated(parts, scope, body))
    requester.tells((relationship.id,))
    return relationship


@router.get("/v1/relationships/{relationship_id:id}", summary="Read one relationship")
async def get_relationship(
    requester: Reader, parts: GatewayParts, relationship_id: Id, user_id: UserId
) -> Relationship:
    """The relationship with the interactions that it rests on."""
    return await parts.semantic.get_relationship(requester.scope("read", user_id), relationship_id)


@router.post("/v1/relationships/{relationship_id:id}/confirm", summary="Confirm a relationship")
async def confirm_relationship(
    requester: Writer, parts: GatewayParts, relationship_id: Id, body: UserIn
) -> Relationship:
    """Its confidence is 1 from now, and it is never archived. The last verdict counts."""
    requester.items = 1
    scope = requester.scope("write", body.user_id)
    return await parts.semantic.judge_relationship(scope, relationship_id, "confirmed")


@router.post("/v1/relationships/{relationship_id:id}/reject", summary="Reject a relationship")
async def reject_relationship(
    requester: Writer, parts: GatewayParts, relationship_id: Id, body: UserIn
) -> Relationship:
    """It is not shown, ends no other, and is not learned again however often it is said; `confirm` takes that back."""
    requester.items = 1
    scope = requester.scope("write", body.user_id)
    return await parts.semantic.judge_relationship(scope, relationship_id, "rejected")


@router.post("/v1/relationships/{relationship_id:id}/restore", summary="Restore an archived relationship")
async def restore_relationship(
    requester: Writer, parts: GatewayParts, relationship_id: Id, body: UserIn
) -> Relationship:
    """It is shown again, at the confidence of a first mention. A 409 for one that is not archived."""
    requester.items = 1
    return await parts.semantic.restore_relationship(requester.scope("write", body.user_id), relationship_id)


@router.delete("/v1/entities/{item_id:id}", summary="Forget an entity")
@router.delete("/v1/relationships/{item_id:id}", summary="Forget a relationship")
async def forget_from_graph(requester: Writer, parts: GatewayParts, item_id: Id, user_id: UserId) -> Forgotten:
    """An entity is forgotten with its relationships; the interactions that named it stay."""
    scope = requester.scope("forget", user_id)
    forgotten = await parts.semantic.forget(scope, [item_id])
    if not forgotten:
        raise NotFound("this user's graph has nothing of that id")
    await parts.pins.unpin(scope, "semantic", [item_id])
    requester.deletes(parts.marks, scope, "graph", [item_id], count=forgotten)
    return Forgotten(forgotten=forgotten, tiers={"semantic": "ok"})
