"""Labels of the chats of `benchmarks/data/labelled`, counted, and how far two hands agree on them:
`python -m benchmarks.agreement`."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks.labelled import FOLDER, Chat, Clause, Ended, Message, Speaker, read_chats, read_ended

AGAIN: Final = FOLDER / "again"
"""A tenth of the messages as a second hand labelled them, which did not see the first."""


def agreements(first: Sequence[Clause], second: Sequence[Clause]) -> dict[str, float]:
    """Cohen's kappa (1: always; 0: no more than by chance) of two hands on the same clauses: on what kind they are, on
    whether they are to be kept, and, where both say that something is told, on its modality, its time and its flags."""
    told = [(one.label, other.label) for one, other in zip(first, second, strict=True) if one.label and other.label]
    asserted = [(one.modality, other.modality) for one, other in told]
    lasting = [(one.time, other.time) for one, other in told]
    changes = [(bool(one.flags - {"neg"}), bool(other.flags - {"neg"})) for one, other in told]
    return {
        "kind": _kappa([(_kind(one), _kind(other)) for one, other in zip(first, second, strict=True)]),
        "keep": _kappa([(_kept(one), _kept(other)) for one, other in zip(first, second, strict=True)]),
        "modality": _kappa(asserted),
        "time": _kappa(lasting),
        "ends or fixes": _kappa(changes),
    }


def _kind(clause: Clause) -> str:
    return clause.label.kind if clause.label else "ask" if clause.asks else "none"


def _kept(clause: Clause) -> bool:
    return clause.label is not None and clause.label.keep


def _kappa(pairs: Sequence[tuple[object, object]]) -> float:
    one, other = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    by_chance = sum(one[value] * other[value] for value in one) / len(pairs) ** 2
    return (sum(a == b for a, b in pairs) / len(pairs) - by_chance) / (1 - by_chance)


def twice(chats: Iterable[Chat], folder: Path = AGAIN) -> tuple[list[Clause], list[Clause]]:
    """The clauses that two hands labelled, by the first and by the second."""
    by_hand = {chat.hand: {_typed(one): one for one in chat.messages} for chat in chats}
    first, second = list[Clause](), list[Clause]()
    for again in read_chats(folder):
        for message in again.messages:
            first += by_hand[again.hand][_typed(message)].clauses
            second += message.clauses
    return first, second


def ended_twice(chats: Iterable[Chat], folder: Path = AGAIN / "ended") -> list[tuple[Sequence[Ended], Sequence[Ended]]]:
    """The clauses that ended in the chats that two hands read for it, by the first and by the second."""
    found = ((chat.ended, read_ended(folder / f"{chat.hand}.ended", chat.messages)) for chat in chats)
    return [(first, second) for first, second in found if second]


def f1(one: Collection[object], other: Collection[object]) -> float:
    """How far two hands name the same: 1 where they do, 0 where nothing is the same."""
    return 2 * len({*one} & {*other}) / (len({*one}) + len({*other}))


def _typed(message: Message) -> tuple[datetime, Speaker, tuple[str, ...]]:
    return message.at, message.role, tuple(clause.text for clause in message.clauses)


def main() -> None:
    """Count the chats, and show how far two hands agree."""
    chats = read_chats()
    clauses = [clause for chat in chats for message in chat.messages for clause in message.clauses]
    kinds = Counter(map(_kind, clauses))
    kept = Counter(_kind(clause) for clause in clauses if _kept(clause))
    table = Table("kind", "clauses", "to keep", title=f"{len(chats)} chats, {len(clauses):,} clauses")
    for kind, count in kinds.most_common():
        table.add_row(kind, f"{count:,}", f"{kept[kind]:,}" if kept[kind] else "")
    console = Console()
    console.print(table)
    first, second = twice(chats)
    console.print(f"{len(first):,} clauses by two hands, kappa: ", agreements(first, second))
    ended = ended_twice(chats)
    pairs = [f1(*([(one.clause, one.by) for one in of if one.by] for of in each)) for each in ended]
    clauses_over = [f1(*([one.clause for one in of] for of in each)) for each in ended]
    console.print(
        f"what ended, {len(ended)} chats by two hands, F1: {sum(clauses_over) / len(ended):.2f} of clauses that hold "
        f"no more, {sum(pairs) / len(ended):.2f} of those that another ends with which it is"
    )
    how = Counter(one.how for chat in chats for one in chat.ended)
    console.print(f"{how.total():,} clauses that hold no more: ", dict(how.most_common()))
    asked = Counter(question.kind for chat in chats for question in chat.asked)
    console.print(f"{asked.total():,} questions: ", dict(asked.most_common()))


if __name__ == "__main__":
    main()
