"""Which of the speaker's people a statement is about: where the cousin lives is not where the sister does."""

from collections.abc import Callable, Mapping
from typing import Final

from ragpp.text.kinship import kin_in, own_kin_in
from ragpp_services.episodic.reading.subjects import Subject, subject_of

OF_OTHER_KIN: Final = 0.4
"""Off, in units of the ranking, for what is about somebody else than the one asked for: as much as two thirds of what
all words of a question count, so that meaning decides among what is left. A judgement: the development sets have no
such questions, and the scenarios of real chats two."""

_MAY_BE: Final[Mapping[str, frozenset[str]]] = {
    "parent": frozenset({"mother", "father"}),
    "child": frozenset({"son", "daughter"}),
    "spouse": frozenset({"wife", "husband", "partner"}),
    "partner": frozenset({"wife", "husband", "spouse", "girlfriend", "boyfriend", "fiancé"}),
    "grandparent": frozenset({"grandmother", "grandfather"}),
}


def about_other_kin(question: str) -> Callable[[str], bool] | None:
    """A test that is true where a text is about the speaker's kin, a friend or the like, and about none of those that
    `question` asks for ("my sister's …"); None for a question that is not after one of them. Who is somebody else's
    says nothing: "Salma moved there with her husband" may well be about the sister."""
    asked = kin_in(question)
    if not asked or subject_of(question) is not Subject.KIN:
        return None
    meant = asked.union(*(_MAY_BE.get(kin, ()) for kin in asked), (kin for kin, may in _MAY_BE.items() if may & asked))

    def is_about_another(text: str) -> bool:
        return bool(own_kin_in(text)) and kin_in(text).isdisjoint(meant)

    return is_about_another
