"""A second value behind a comma that goes without the verb, said in full: "The pool opens at 7, on Sundays at 9" → "The
pool opens on Sundays at 9"."""

import re
from typing import Final

from ragpp.extraction.facts.verbs import Clause

_QUANTITY: Final = r"(?:[$€£¥]\s?)?\d[\d.,:]*|half|twice|double|free|nothing"
_IN_PLACE: Final = re.compile(
    rf"(?:on|for|in|at|with|from|during|if|per)\s(?!\d)\S.{{0,50}}?\s(?:(?:not|only|at|from|by|until|for|to|up to)\s)*"
    rf"(?:{_QUANTITY})(?:\s\S+){{0,3}}$",
    re.IGNORECASE,
)
_FRONTED: Final = re.compile(
    r"(?:on|for|in|at|with|from|during)\s(?:\S+\s){1,3}?(?=(?:it|they|we|he|she|you|the|our|an?)\b)", re.IGNORECASE
)
"""The phrase before a subject of which a second value has its own: "in winter it closes at 5, in summer at 9"."""
_FIRST: Final = re.compile(
    rf"(?:only\s|just\s|about\s)?(?:{_QUANTITY})(?:\s\S+)?\s(?:for|in|on|at|if|with|per|when|from|a|an)\s\S.*$",
    re.IGNORECASE,
)
_THE_OTHER: Final = re.compile(
    rf"(?P<other>(?!(?:and|or|but|not|now|about|only|up|on|at|from|in|by|then|later|for|with|of|to|after|before|until|during|"
    r"within|per|without|since)\b)"
    rf"(?:(?:the|those)\s(?P<one>ones?)\b)?[^,;\d]{{0,40}}?(?:\s\d)?)\s"
    rf"(?P<value>(?:(?:not|only|at|from|by|until|before|after|to|up to|about)\s)*(?:{_QUANTITY})"
    r"(?!\s(?:(?:only|at|from|by|until|for|up\sto|about)\s)+[$€£¥\d])(?:\s\S+){0,3})$",
    re.IGNORECASE,
)
_VALUE: Final = re.compile(
    rf"(?:\s(?:at|for|from|by|until|in|on|to|up to|about|only|just))*\s(?:{_QUANTITY})(?!\w)", re.IGNORECASE
)
_PREPOSITION: Final = re.compile(r"(?:^|\s)(?:from|for|by|in|at|on|to|with)\s")
_IS_A_NOUN: Final = re.compile(
    r"(?:the|a|an|our|my|your|his|her|their|its|all)\s[\w'-]+|(?-i:[A-Z][\w'-]*)|[a-z]{2,}s$|[a-z]{3,}$", re.IGNORECASE
)
_SHARE: Final = re.compile(r"\S+\sof\s(?:them|which|whom|these|those|it|us)\b", re.IGNORECASE)
_PRONOUNS: Final = frozenset({"it", "them", "you", "us", "me", "him", "her"})
"""Words of what is done with another, "keep it", which is nothing that has a value."""
_LONGEST: Final = 10


def elided(first: Clause, head: str, tail: str) -> str | None:
    """`tail` with what it leaves out of the clause before it, `head`, whose own subject is that of `first`; None where
    it is nothing of the kind. It states a quantity as that does, or goes on with the same preposition."""
    tail = tail.strip(" .!")
    clause = Clause(head)
    if len(tail.split()) > _LONGEST or clause.verb is None or Clause(tail).verb is not None or _SHARE.match(tail):
        return None
    quantity = _VALUE.search(head, clause.verb.start)
    if quantity:
        said = head[: quantity.start()]
        alone = (
            _VALUE.search(head, quantity.end()) is None
        )  # of several, as in "3 seats and 60 calls", none is left out
        if len(said) > clause.verb.start and ((alone and _FIRST.match(tail)) or _IN_PLACE.match(tail)):
            return f"{unfronted(said) if _IN_PLACE.match(tail) else said} {tail}"
        other = _THE_OTHER.match(tail)
        if other and len(said) > clause.verb.start and not _PRONOUNS & set(other["other"].lower().split()):
            return f"{_who(other, first.subject)} {said[clause.verb.start :]} {other['value']}"
    return _by_preposition(clause, tail)


def _who(other: re.Match[str], subject: str) -> str:
    noun = re.search(r"(?:the|our|a|an)\s(?P<noun>[a-z]+)", subject, re.IGNORECASE)
    if noun is None or not other["one"]:
        return other["other"]
    return re.sub(r"\bones?\b", noun["noun"], other["other"], count=1, flags=re.IGNORECASE)


def _by_preposition(clause: Clause, tail: str) -> str | None:
    """ "Flour comes from Albi, salt from Guérande", "We use Tallybook for invoices and Harbor for payroll"."""
    there = _PREPOSITION.search(clause.predicate)
    if there is None:
        return None
    before, link, after = tail.partition(f" {there.group().strip()} ")
    between = clause.predicate[: there.start()].split()
    if not link or len(before.split()) > 4 or not after or not _IS_A_NOUN.match(before):
        return None
    if all(word.endswith(("ed", "en", "n", "t", "g")) or word in {"open", "only", "now", "all"} for word in between):
        return " ".join([before, clause.verb_word, *between, link.strip(), after])
    return f"{clause.subject} {clause.verb_word} {tail}" if between and not clause.predicate[0].isdigit() else None


def unfronted(clause: str) -> str:
    """`clause`, or its subject, without the phrase before that: "in winter it closes" → "it closes"."""
    fronted = _FRONTED.match(clause)
    return clause[fronted.end() :] if fronted else clause


def starts_with_a_gap(text: str) -> bool:
    """True where `text` begins as a second value does."""
    return _FIRST.match(text) is not None
