"""Learned things, in words for the person they are about: "You live in Porto" for "user LIVES_IN Porto". Pure."""

import re
from typing import Final

from ragpp.models import Preference, Relationship
from ragpp.preference_values import shown
from ragpp.text.sentences import with_capital

USER: Final = "user"
"""The memory's name for the person whose it is, where they gave none."""
_ADVERBS: Final = "(?:always|also|just|never|now|often|only|really|still|usually) "
_USER: Final = re.compile(
    rf"\bthe user(?P<owns>'s)?(?:(?P<space> )(?P<adverb>{_ADVERBS})?(?P<verb>[a-z]+))?", re.IGNORECASE
)
_IRREGULAR: Final = {
    "is": "are",
    "was": "were",
    "has": "have",
    "does": "do",
    "isn": "aren",
    "doesn": "don",
    "hasn": "haven",
}
_OF_KIN: Final = re.compile(r"(?P<what>[a-z_]+)_of", re.IGNORECASE)


def addressed(text: str) -> str:
    """`text` as said to the person: "The user loves jazz" is "You love jazz"."""
    return with_capital(_USER.sub(_addressed, text))


def _addressed(match: re.Match[str]) -> str:
    if match["owns"]:
        return f"your{match[0][len('the user' + match['owns']) :]}"
    return f"you{match['space'] or ''}{match['adverb'] or ''}{_of_you(match['verb'] or '')}"


def _of_you(verb: str) -> str:
    """The form of a verb that goes with "you", of the one that goes with "she"."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("ies") and len(verb) > len("lies"):
        return f"{verb[:-3]}y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith(("ss", "us")) else verb


def relationship_told(one: Relationship) -> str:
    """A relationship as a sentence."""
    kin, words = _OF_KIN.fullmatch(one.type), one.type.lower().replace("_", " ")
    you = one.source == USER
    if kin is not None:
        what = kin["what"].lower().replace("_", "-")
        whose = f"your {what}" if one.target == USER else f"{_name(one.target)}'s {what}"
        said = f"{'are' if you else 'is'} {whose}"
    elif one.type == "FROM":
        said = f"{'are' if you else 'is'} from {_name(one.target)}"
    else:
        verb, _, rest = words.partition(" ")
        said = " ".join(part for part in (_of_you(verb) if you else verb, rest, _name(one.target)) if part)
    return with_capital(f"{_name(one.source)} {said}.")


def preference_told(one: Preference) -> str:
    """A preference as a line: what it is about, and what is preferred."""
    return with_capital(f"{one.key}: {shown(one.value)}")


def _name(name: str) -> str:
    if name == USER:
        return "you"
    return f"your {name.removeprefix(USER + chr(39) + 's ')}" if name.startswith(f"{USER}'s ") else name
