"""Forgetting everything about a person, a thing, or something that was said."""

from fastapi import APIRouter, Request, Response

from ragpp.api import ForgetAnswer, ForgetRequest
from ragpp_services.gateway.forgetting import Outcome, confirmed, forget_messages, messages_about, would_go
from ragpp_services.gateway.http import RESPONSES, Writer, answer, body_schema, note, read_body
from ragpp_services.gateway.parts import Parts

router = APIRouter(tags=["forgetting"], responses=RESPONSES)


@router.post(
    "/v1/forget",
    response_model=ForgetAnswer,
    openapi_extra=body_schema(ForgetRequest),
    summary="Find, and forget, what is about somebody or something",
    responses={409: {"description": "What was confirmed is not, or no longer, what is about it; `details.ids`."}},
)
async def forget_about(request: Request, principal: Writer) -> Response:
    """Lists every message about it, each with why, by time. Nothing is changed unless the request carries `confirm`,
    with the ids to forget or the `token` of the list; then these are forgotten as by `DELETE`, and what is left is
    listed. Needs the scopes `read` and `forget`; a key that is bound to an agent finds that agent's messages alone."""
    parts: Parts = request.app.state.parts
    body = await read_body(request, ForgetRequest)
    digest = parts.marks.of_query(body.about.entity or body.about.words or "")
    note(request, user_id=body.user_id, query_sha256=digest)
    principal.scope("forget", body.user_id)
    scope = principal.scope("read", body.user_id)
    found = await messages_about(parts, scope, body.about, replies=body.replies)
    done: Outcome | None = None
    if body.confirm is not None:
        ids = await confirmed(parts, scope, found, body.confirm)
        done = await forget_messages(parts, scope, ids)
        if done.job is None:
            found.messages = [message for message in found.messages if message.id not in set(ids)]
    shown, following = found.page(body.cursor, body.limit)
    note(request, user_id=body.user_id, query_sha256=digest, items=len(shown) if done is None else done.forgotten)
    return answer(
        ForgetAnswer(
            found=tuple(shown),
            total=len(found.messages),
            next_cursor=following,
            token=found.token,
            names=found.names,
            with_them=await would_go(parts, scope, found.ids),
            forgotten=done.forgotten if done is not None else None,
            tiers=done.tiers if done is not None else {},
            job=done.job if done is not None else None,
        )
    )
