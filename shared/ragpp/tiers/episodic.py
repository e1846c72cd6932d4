"""The contract of the tier that holds every interaction."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from ragpp.models import Entry, Filters, Interaction, KnownUser, Page, Repetition, Scope
from ragpp.tiers.memory import MemoryTier


class EpisodicTier(MemoryTier, Protocol):
    """Every interaction, append-only. `store` writes the rows and their `interaction.stored` events in one
    transaction. What is read by whoever has a view is in the view alone; the others' words count for nothing in it."""

    async def users(self, scope: Scope, after: str = "", limit: int = 50, only: str | None = None) -> list[KnownUser]:
        """Users of the scope's tenant of whom there are messages, by id from after one on: whoever the scope's is. Of
        `only` that one."""
        ...

    async def get(self, scope: Scope, ids: Collection[str]) -> list[Interaction]:
        """Those of `ids` that exist, by time."""
        ...

    async def replace(self, scope: Scope, entries: Sequence[Entry], of: Sequence[str]) -> list[str]:
        """Store each of `entries` (InteractionEntry, of new ids) in the place of the message of the id at the same
        position in `of`, which is forgotten in the same transaction, as by `forget`. Where that is not there, nothing
        is stored. Answers the ids that were replaced."""
        ...

    async def list_interactions(
        self,
        scope: Scope,
        filters: Filters | None = None,
        cursor: str | None = None,
        limit: int = 50,
        newest_first: bool = True,
    ) -> Page[Interaction]:
        """Interactions by time, without a query. InvalidInput for a cursor that is not ours."""
        ...

    async def recorded_before(self, scope: Scope, event_id: int, limit: int) -> list[str]:
        """The ids of `limit` interactions at most that were stored by events of before that one, oldest first, as
        `erase` takes them; only of the scope's session and agent, where it names them."""
        ...

    async def recorded(self, scope: Scope, after: int = 0, limit: int = 500) -> dict[str, int]:
        """The ids of `limit` interactions at most, each with the event that recorded it, in the order of these, from
        after that one: of the scope's view."""
        ...

    async def session_tail(self, scope: Scope, limit: int = 20) -> list[Interaction]:
        """The last `limit` messages of the scope's session, oldest first."""
        ...

    async def note_repetitions(self, scope: Scope, found: Sequence[Repetition], epoch: int | None = None) -> None:
        """Keep with messages what in them only repeats what was said before, until they are forgotten; that of messages
        that are not there is left out. What repeats a message that is forgotten is noted by the forgetting itself."""
        ...

    async def repetitions(self, scope: Scope, ids: Collection[str]) -> list[Repetition]:
        """The repetitions noted of these messages, in order, without what they repeat."""
        ...

    async def repeated_by(self, scope: Scope, ids: Collection[str]) -> list[str]:
        """The other messages that repeat any of these, by time: what the user did not say and has said before."""
        ...

    async def naming(self, scope: Scope, names: Collection[str], filters: Filters | None = None) -> list[str]:
        """Every interaction, by time, whose words or whose speaker's name have one of `names`, word for word and as a
        whole; case, accents and a possessive ending make no difference. Reads everything that the filters leave."""
        ...

    async def containing(self, scope: Scope, text: str, filters: Filters | None = None) -> list[str]:
        """Every interaction, by time, that has all the words of `text`, as lexical search takes them: in whatever form
        and order, function words only where there is nothing else. Reads everything that the filters leave."""
        ...

    async def compress(self, scope: Scope, before: datetime) -> int:
        """Keep the raw text of interactions from before that moment compressed, where that saves space; what is read
        back stays the same byte for byte, and is found as before. Returns how many were compressed."""
        ...

    async def index_sentences(self, scope: Scope, limit: int = 32) -> int:
        """Embed what stored interactions tell sentence by sentence, with who "I" and "you" are written out, for
        searches to find a long one by the sentence that answers: of `limit` chunks at most that were not looked at, the
        oldest first, of the whole memory; and each chunk as a whole by the second encoder where there is one, for which
        what was looked at before is looked at again. Until then they are found as a whole. Returns how many were looked
        at; 0 when none is left. Repeating it is harmless."""
        ...

    async def pending(self, scope: Scope, first_event: int | None = None, last_event: int | None = None) -> int:
        """How many of the user's events are not yet digested, of all or of those with ids between the two."""
        ...
