"""Messages: each that has what is sought is stored anew, and forgotten in the same transaction."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragpp.aside import aside
from ragpp.fields import joined
from ragpp.models import Interaction, Scope
from ragpp_services.gateway.forgetting import attempt, withdraw_messages
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.redacting.knowledge import move_resources
from ragpp_services.gateway.redacting.seeking import Search
from ragpp_services.gateway.redacting.walking import Step, Walk
from ragpp_services.gateway.remembering import APPEND_S


@dataclass(frozen=True)
class Replacing:
    """A message, and what is to be stored in its place."""

    old: Interaction
    new: Interaction
    search: Search


async def messages(walk: Walk, cursor: str | None) -> Step:
    """Some messages, the oldest first."""
    page = await walk.parts.episodic.list_interactions(walk.scope, None, cursor, walk.limit, newest_first=False)
    found = await aside(_found, walk, page.items)
    if found and walk.applies:
        await _replace(walk, found)
    return Step(
        [one.search.found("message", one.old.id, one.new.id if walk.applies else None) for one in found],
        len(page.items),
        page.next_cursor,
    )


def new_id(parts: Parts, scope: Scope, old: str) -> str:
    """The id of what takes the place of a message: whoever replaces it again gives it the same, and it tells nothing of
    the old one."""
    return f"m_{parts.marks.of(scope, joined('redacted', old))}"


def _found(walk: Walk, messages: Sequence[Interaction]) -> list[Replacing]:
    return [one for one in (_looked_through(walk, message) for message in messages) if one.search.kinds]


def _looked_through(walk: Walk, one: Interaction) -> Replacing:
    search = walk.search()
    new = one.model_copy(
        update={
            "id": new_id(walk.parts, walk.scope, one.id),
            "content": search.text(one.content),
            "name": search.optional(one.name),
            "metadata": search.json(one.metadata),
            **{
                label: search.label(text)
                for label in ("message_type", "channel", "domain", "task_type")
                if (text := getattr(one, label)) is not None
            },
        }
    )
    return Replacing(one, new, search)


async def _replace(walk: Walk, found: Sequence[Replacing]) -> None:
    """Replace messages everywhere: first pins and resources, which name the new ones from then on, so that whoever
    repeats an interrupted request finds the old messages still there; then the messages; then what the tiers know of
    them, which the workers do as well where one does not answer."""
    parts, scope = walk.parts, walk.scope
    new = {one.old.id: one.new for one in found}
    for old in new.keys() & await parts.pins.pinned(scope, "episodic"):
        await parts.pins.pin(scope, "episodic", new[old].id)
    await move_resources(walk, {old: one.id for old, one in new.items()})
    entries = await parts.intake.entries(list(new.values()))
    gone = await parts.episodic.replace(scope, entries, list(new))
    fresh = [entry.without_chunks for old, entry in zip(new, entries, strict=True) if old in set(gone)]
    if fresh:
        await attempt(parts.short_term.store(scope, fresh), timeout_s=APPEND_S)
    await withdraw_messages(parts, scope, gone)
    await parts.pins.unpin(scope, "episodic", gone)
