"""Requests: what somebody wants done tells what it is about, but for what it wants to be told.

"Could you remind me that the spare key is at Tom's?" tells where the key is, and "Can you tell me where the key is?"
asks. So a request tells, unless its verb is one of telling, knowing or finding and its complement a question: an
interrogative clause, or what somebody knows or has ("the wifi password", "about the trip"). English; the words that
decide are of closed classes, as they are typed in haste as well.
"""

import re
from typing import Final

from ragpp.text.english import word_set
from ragpp.text.indirect import OPENING, WH
from ragpp_services.episodic.reading.answers import Kind, kinds_in

YOU: Final = r"(?:you|u|ya|yo|y'?all)(?: guys| all| both)?"
_MANNER: Final = r"(?:(?:please|pls|plz|maybe|also|always|just|quickly|possibly|kindly|ever|still|even|again|perhaps) )"
_STATE: Final = r"(?:be|believe|feel|guess|have|hear|imagine|like|love|mean|need|prefer|say|see|think|want|ever)"
"""Verbs of no action: "would you like tea?" wants nothing done."""
_REQUEST: Final = re.compile(
    rf"{OPENING}(?:(?:can|could|will|would|cld|wld|can't|couldn't|won't) {YOU} {_MANNER}{{0,3}}(?!{_STATE}\b)"
    rf"|(?:would|do) {YOU} mind |any chance {YOU} (?:can|could|would|will) "
    rf"|(?:i|we)(?:'d| would|d)? (?:just )?(?:need|want|like) {YOU} to "
    rf"|(?:(?:i|we) (?:was|were|am|are) |(?:i'm|we're|im) |just )?wondering (?:if|whether) {YOU} (?:can|could|would) "
    rf"|(?:do|did|don't|didn't|dont|didnt) {YOU} (?:still |even |also |ever )?(?=(?:know|remember|recall)\b)"
    r"|(?=(?:tell|remind|show|give|help|let) (?:me|us)\b|explain\b))",
    re.IGNORECASE,
)
_OF_TELLING: Final = re.compile(
    r"(?:help (?:me|us) )?(?:to )?(?P<verb>tell|remind|show|give|send|let (?:me|us) know|know|remember|recall|explain|"
    r"say|find out|find|look up|check|see|figure out|work out|decide|choose|pick|understand|guess|confirm)(?:ing)?\b"
    r"(?: to (?:me|us)| me| us)?(?: (?:again|please|pls|plz|quickly|exactly|now))*",
    re.IGNORECASE,
)
_ASKED_FOR: Final = re.compile(rf"[\s:,]*(?:{WH}|if|whether|(?P<about>about|of))\b", re.IGNORECASE)
_TOLD: Final = re.compile(r"[\s:,]*(?:that|to)\b", re.IGNORECASE)
_HAD: Final = re.compile(
    r"\s(?:the|my|our|his|her|their|your|this|that|these|those|any|all|some|an?|anything|everything|more|(?-i:[A-Z])[\w-]+'s)\b",
    re.IGNORECASE,
)
"""A noun phrase in the place of a question: what somebody knows, or has."""
_HOLDS: Final = word_set("tell remind show give know remember recall find")
_FINITE: Final = (
    r"(?:is|are|was|were|am|has|have|had|does|did|do|will|would|can|could|should|must|may|might|needs?|wants?|got|goes|"
    r"isn't|aren't|wasn't|weren't|hasn't|haven't|hadn't|doesn't|didn't|don't|won't|wouldn't|can't|cannot|couldn't|isnt|"
    r"arent|wasnt|doesnt|didnt|dont|wont|cant)"
)
_STATES: Final = re.compile(
    rf"{OPENING}(?:(?:because|cause|cos|coz|cuz) \w|(?:since |that )?(?:"
    r"(?:i|we|he|she|they|it|there|(?:every|some|any|no)(?:one|body|thing))(?:'(?:m|re|s|ve|ll|d))? \w"
    r"|(?:im|ive|hes|shes|theyre|theyve|weve|its|thats|theres|youre) \w"
    rf"|(?:this|that|these|those) (?:{_FINITE}|\w+s) \w|(?:you|u) (?:said|told|know) \w"
    rf"|(?:my|our|his|her|their|your|the|an?|both|all|no|one|two|this|that) (?:[\w'-]+ ){{1,4}}?{_FINITE} \w"
    r"|(?:my|our|his|her|their|your|the|this|that) [\w'-]+ (?:(?-i:[A-Z])[\w'-]+ )?[a-z]+(?<!s)(?:s|ed) \w"
    rf"|(?-i:[A-Z])[\w'-]+ (?:(?-i:[A-Z])[\w'-]+ )?(?:{_FINITE}|[a-z]+(?:s|ed)) \w"
    rf"|[\w'-]+ (?:is|are|was|were|has|isn't|aren't|wasn't) \w))",
    re.IGNORECASE,
)
"""A subject of its own and a finite verb: a pronoun and what follows it; a possessive, a determiner or a name and an
auxiliary, or a form that ends as the third person or the past does."""

_OF_ADVICE: Final = re.compile(
    r"^(?!.*\b(?:did|does|has|had|was|were)\b).*(?:"
    r"\b(?:suggest(?:ions?)?|recommend(?:ations?)?|advi[sc]e|tips|ideas?|help me)\b"
    r"|\b(?:should|how (?:can|could)) (?:i|we)\b"
    r"|\bwhat(?:['\u2019]?s| is| are| would be) (?:some|the best)\b)",
    re.IGNORECASE | re.DOTALL,
)
"""Not what somebody did, does or has: "what did he suggest?" is after what was said."""


def is_request(clause: str) -> bool:
    """True where `clause` begins as a request, to be told something or to have something done."""
    return _REQUEST.match(clause) is not None


def asks_for_advice(text: str) -> bool:
    """True where `text` is after advice, also on what may be done: no memory says it, but some apply to it."""
    return _OF_ADVICE.search(text) is not None


def asks_to_be_told(clause: str) -> bool:
    """True where the request `clause` is a question: it wants to be told, or to have found, what it does not tell."""
    begun = _REQUEST.match(clause)
    verb = _OF_TELLING.match(clause, begun.end()) if begun else None
    if verb is None:
        return False
    end, name = verb.end(), verb["verb"].lower()
    asked = _ASKED_FOR.match(clause, end)
    if asked is not None:
        return not (asked["about"] and name == "remind" and kinds_in(clause[end:]) & Kind.TIME)
    if _TOLD.match(clause, end) or states(clause[end:].lstrip(" ,:")):
        return False
    return name in _HOLDS and (_HAD.match(clause, end) is not None or not re.search(r"\w", clause[end:]))


def states(clause: str) -> bool:
    """True where `clause` has a subject of its own and a finite verb behind it."""
    return _STATES.match(clause) is not None
