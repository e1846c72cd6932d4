"""Reads what somebody chooses and is used to, where its words are fixed: "I'd rather …", "nothing beats …"."""

import re
from collections.abc import Iterator
from typing import Final

from ragpp.extraction.phrases import key_of, leading_phrase, object_phrase, points_elsewhere, without_article
from ragpp.extraction.port import Polarity, PreferenceMention
from ragpp.extraction.preferences import statement_rules as rules
from ragpp.extraction.preferences.mentions import Readers, mention
from ragpp.extraction.preferences.topics import category_of, choice

_OVER: Final = re.compile(r"\s(?:over|rather than|instead of|than)\s")
_TO: Final = re.compile(
    r"(?<!going)(?<!listening)(?<!talking)(?<!coming)(?<!moving)(?<!writing)(?<!speaking)\sto\s(?!be\b)"
)


def _prefer(match: re.Match[str]) -> Iterator[PreferenceMention]:
    wanted, refused = _alternatives(_rest(match))
    preferred = leading_phrase(wanted, max_words=6)
    if preferred is None or points_elsewhere(without_article(preferred)):
        return
    over = leading_phrase(refused, max_words=5) if preferred == " ".join(wanted.split()) else None
    category, key = choice(preferred, over)
    yield from mention(category, key, without_article(preferred), 0.6 if match["would"] else 0.8)


def _alternatives(text: str) -> tuple[str, str]:
    """The thing preferred and the one it is preferred to, which is empty where it is not said. "to" divides only where
    the sentence has no plainer word and it is not part of a verb ("going to the sea")."""
    text = text.removeprefix("to ")
    for divider in (_OVER, _TO):
        match = divider.search(text)
        if match:
            return text[: match.start()], text[match.end() :]
    return text, ""


def _rather(match: re.Match[str]) -> Iterator[PreferenceMention]:
    first, _, second = _rest(match).partition(" than ")
    wanted, refused = leading_phrase(first, max_words=8), leading_phrase(second, max_words=6)
    if wanted and refused and wanted == " ".join(first.split()):
        key = " or ".join(sorted((wanted.lower(), refused.lower())))
        yield from mention(category_of(f"{wanted} {refused}"), key, f"{wanted} rather than {refused}", 0.6)


def _switched(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "I switched from coffee to tea"."""
    before, now = match["before"], object_phrase(match["now"] or _rest(match), max_words=4)
    if now is None:
        return
    old = object_phrase(before, max_words=4) if before else None
    category, key = choice(now, old)
    if old is None and key == key_of(now) and category == "general":
        return  # "I switched to the other lane"
    yield from mention(category, key, now, 0.8)


def _instead(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "Email works better for me than the phone", "tea over coffee any day"."""
    wanted = object_phrase(without_article(match["wanted"].strip()), max_words=4)
    over = match["over"]
    refused = object_phrase(without_article(over.strip()), max_words=4) if over else None
    if wanted and (refused or over is None):
        opens = match.string.startswith(wanted)  # a capital that is only grammar
        category, key = choice(wanted[0].lower() + wanted[1:] if opens else wanted, refused)
        yield from mention(category, key, wanted, 0.7)


def _taken(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "I take my tea without sugar"."""
    thing = match["thing"].lower()
    how = leading_phrase(match["how"], max_words=5)
    if how and how.split()[0].lower() not in rules.NO_MANNER:
        yield from mention(category_of(thing), f"how to have {key_of(thing)}", f"{thing} {how}", 0.8)


def _kind_of_person(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "I'm a morning person", "I'm not much of a dog person"."""
    kind = " ".join(match["kind"].lower().split())
    first = kind.split()[0]
    polarity: Polarity = "negative" if match["no"] else "positive"
    category, key = choice(rules.BIRDS.get(kind, first), None)
    yield from mention(category, key, f"not a {kind}" if match["no"] else kind, 0.8, polarity)


def _usual(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "My go-to order is a flat white"."""
    phrase = leading_phrase(without_article(_rest(match)), max_words=7)
    if phrase and not points_elsewhere(phrase) and (match["what"] or "") not in rules.NO_CHOICE:
        what, kind = match["what"] or "choice", "ideal" if match["kind"] in {"ideal", "preferred"} else "usual"
        yield from mention(category_of(f"{what} {phrase}"), f"{kind} {key_of(what)}", phrase, 0.8)


def _about(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """A liking of what the match ends before, or holds; a dislike where it has the group `no`: "nothing beats soup"."""
    groups = match.groupdict()
    phrase = object_phrase((groups.get("thing") or _rest(match)).strip(), max_words=5)
    if phrase and groups.get("no"):
        yield from mention(category_of(phrase), key_of(phrase), "dislikes", 0.7, "negative")
    elif phrase:
        yield from mention(category_of(phrase), key_of(phrase), "likes", 0.7)


def _situation(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "I hate it when people chew loudly"."""
    phrase = leading_phrase(_rest(match), max_words=9, with_circumstances=True)
    if phrase is None or len(phrase.split()) < 2 or rules.PARTICULAR.search(phrase):
        return
    key = f"when {phrase}".lower()
    if match["like"]:
        yield PreferenceMention(category_of(phrase), key, "likes", 0.7, "positive")
    else:
        yield PreferenceMention(category_of(phrase), key, "dislikes", 0.7, "negative")


def _best(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "I sleep best with the window open"."""
    phrase, verb = leading_phrase(_rest(match), max_words=6), match["verb"].lower()
    if phrase:
        yield from mention(category_of(verb), f"how to {verb} best", phrase, 0.7)


def _rest(match: re.Match[str]) -> str:
    return match.string[match.end() :]


OWN_CHOICES: Final[Readers] = (
    (rules.PREFER, _prefer),
    (rules.RATHER, _rather),
    (rules.PERSON, _kind_of_person),
    (rules.TAKEN, _taken),
    (rules.SWITCHED, _switched),
    (rules.WHEN, _situation),
    (rules.BEST, _best),
    (rules.CLEFT, _about),
    (rules.WITHOUT, _about),
    (rules.FINDS, _about),
)
"""Tried where "I" or "we" occurs; patterns and what reads them."""
OTHER_CHOICES: Final[Readers] = ((rules.USUAL, _usual), (rules.BETTER, _instead))
"""Tried where "my" or "me" occurs."""
OVER: Final[Readers] = ((rules.ANY_DAY, _instead),)
"""Tried where "over" occurs."""
BEATS: Final[Readers] = ((rules.BEATS, _about),)
"""Tried where "nothing" occurs."""
