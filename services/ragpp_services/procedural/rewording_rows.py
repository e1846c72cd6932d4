"""The words of rows of all kinds, read and put anew."""

import json

from pydantic import JsonValue

from ragpp.learned import ProceduralText
from ragpp.models import Vector
from ragpp_services.procedural.naming import value_hash
from ragpp_services.procedural.statements import Statements, half


class RewordingRows:
    """The words of one user's rows, or of those of a view."""

    def __init__(self, run: Statements) -> None:
        self._run = run

    async def page(self, after: tuple[str, str, int] | None, limit: int) -> list[ProceduralText]:
        """At most `limit` rows from after a position: id, kind and number."""
        rows = await self._run.fetch("texts", *(after or (None, None, None)), limit)
        return [ProceduralText.trusted(**{**row, "words": json.loads(row["words"])}) for row in rows]

    async def put(self, one: ProceduralText, embedding: Vector) -> None:
        """Let a row say that. A report goes: what it tells of is told otherwise."""
        words, vector = one.words, half(embedding)
        at = (one.id,) if one.kind in {"preference", "rule", "finding"} else (one.id, one.number)
        if one.kind == "report":
            await self._run.execute("drop_report", one.id)
        elif one.kind == "preference":
            waiting = None if words["waiting"] is None else json.dumps(words["waiting"])
            await self._run.execute("reword_preference", one.id, json.dumps(words["value"]), waiting, vector)
        elif one.kind == "preference_version":
            value = json.dumps(words["value"])
            await self._run.execute("reword_preference_version", *at, value, vector, words["category"], words["key"])
        elif one.kind in {"rule", "rule_version"}:
            said = words["text"], words["triggers"], words["aside"]
            await self._run.execute(f"reword_{one.kind}", *at, *said, vector)
        else:
            told = words["text"], words["when_text"], json.dumps(words["details"])
            await self._run.execute(f"reword_{one.kind}", *at, *told, vector)

    async def rename(self, identifier: str, other: str, category: str, key: str) -> None:
        """Let a preference, with all that is of it, have that id and that name."""
        await self._run.execute("rename_preference", identifier, other, category, key)

    async def judge(self, identifier: str, old: JsonValue, new: JsonValue) -> None:
        """Let what was said of one value of a preference be said of another."""
        if value_hash(old) != value_hash(new):
            await self._run.execute("reword_verdict", identifier, value_hash(old), value_hash(new))

    async def unhash(self, kind: str, identifier: str) -> None:
        """Forget what entries said that wrote to it."""
        await self._run.execute("unhash_subjects", kind, [identifier])
