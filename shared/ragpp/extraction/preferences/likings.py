"""More ways of saying what one likes, refuses and is used to: "nothing beats …", "I've gone off …", "I switched to …".

Likes and dislikes of one thing have one key, so that "I've gone off tea" answers what "I love tea" answered; a choice
among alternatives has the key of `topics.choice`.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from ragpp.extraction.phrases import key_of, leading_phrase, object_phrase, points_elsewhere, without_article
from ragpp.extraction.port import Polarity, PreferenceMention
from ragpp.extraction.preferences import liking_rules as rules
from ragpp.extraction.preferences.topics import category_of, choice

Reader = Callable[[re.Match[str]], Iterator[PreferenceMention]]
MAX_LISTED: Final = 6
"""Things read of "I love A, B and C"."""


def mention(
    category: str, key: str, value: str, confidence: float, polarity: Polarity = "positive"
) -> Iterator[PreferenceMention]:
    """One preference, or none without a key or a value."""
    if key and value:
        yield PreferenceMention(category, key, value, confidence, polarity)


def liked(text: str) -> Iterator[PreferenceMention]:
    """Likes of what `text` starts with."""
    for phrase in listed(text):
        yield from mention(category_of(phrase), key_of(phrase), "likes", 0.7)


def disliked(text: str) -> Iterator[PreferenceMention]:
    """Dislikes of what `text` starts with."""
    for phrase in listed(text):
        yield from mention(category_of(phrase), key_of(phrase), "dislikes", 0.7, "negative")


def listed(text: str) -> Iterator[str]:
    """The general things that `text` starts with: "long walks, baking and bad puns"."""
    rest, between = rules.PAIRS.sub(r"\1 & ", text[:300].lstrip()), ""
    rest = rules.GOOD.sub("", rest, count=1) if rules.GOOD.match(rest) else rest
    for count in range(MAX_LISTED):
        phrase = object_phrase(rest, max_words=5)
        if phrase is None or (count and not _goes_on(phrase, between)):
            return
        yield phrase
        end = rest.lower().find(phrase.lower()) + len(phrase)
        joint = rules.JOINT.match(rest, end)
        if joint is None:
            return
        rest, between = rest[joint.end() :], joint.group()


def _goes_on(phrase: str, between: str) -> bool:
    """Whether a later thing of a list is one, and not another clause: "… and want one", "…, as always"."""
    words = phrase.split()
    return (
        len(words) <= 4 and words[0].lower() not in rules.NO_THING and not ("," in between and words[0].endswith("ly"))
    )


def likes(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """The things behind the match are liked."""
    yield from liked(_rest(match))


def dislikes(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """The things behind the match are disliked."""
    yield from disliked(_rest(match))


def _liked_before(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """What stands before the verb: "dark chocolate is my weakness"."""
    words = match.groupdict()
    phrase = object_phrase(without_article((words["thing"] or words.get("helper") or "").strip()), max_words=5)
    if phrase is None:
        return
    if match["no"]:
        yield from mention(category_of(phrase), key_of(phrase), "dislikes", 0.7, "negative")
    else:
        yield from mention(category_of(phrase), key_of(phrase), "likes", 0.7)


def _disliked_before(match: re.Match[str]) -> Iterator[PreferenceMention]:
    phrase = object_phrase(without_article(match["thing"].strip()), max_words=5)
    if phrase:
        yield from mention(category_of(phrase), key_of(phrase), "dislikes", 0.7, "negative")


def _given_up(match: re.Match[str]) -> Iterator[PreferenceMention]:
    phrase = object_phrase(_rest(match), max_words=4)
    if phrase:
        yield from mention(category_of(phrase), key_of(phrase), "given up", 0.8, "negative")


def _avoided(match: re.Match[str]) -> Iterator[PreferenceMention]:
    for phrase in listed(_rest(match)):
        yield from mention(category_of(phrase), key_of(phrase), "avoids", 0.7, "negative")


def _refused(match: re.Match[str]) -> Iterator[PreferenceMention]:
    phrase = leading_phrase(_rest(match), max_words=6, with_circumstances=True)
    if phrase and " is " not in phrase and not points_elsewhere(phrase.split(maxsplit=1)[-1]):
        yield from mention(category_of(phrase), key_of(phrase), "never", 0.8, "negative")


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


def _only(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "I only drink green tea"."""
    phrase = object_phrase(_rest(match), max_words=4)
    if phrase and phrase.split()[0].lower() not in rules.AMOUNTS:
        category, key = choice(phrase, None)
        yield from mention(category, key, phrase, 0.8)


def instead(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "Email works better for me than the phone", "tea over coffee any day"."""
    words = match.groupdict()
    wanted = object_phrase(without_article((words["wanted"] or words.get("alone") or "").strip()), max_words=4)
    over = words["over"]
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


def _situation(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "I hate it when people chew loudly"."""
    phrase = leading_phrase(_rest(match), max_words=9, with_circumstances=True)
    if phrase is None or len(phrase.split()) < 2 or rules.PARTICULAR.search(phrase):
        return
    like = match["like"] is not None
    yield from mention(
        category_of(phrase),
        f"when {phrase}".lower(),
        "likes" if like else "dislikes",
        0.7,
        "positive" if like else "negative",
    )


def _cleft(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "What I really like is quiet cafés", "the one thing I refuse to eat is liver"."""
    yield from disliked(_rest(match)) if match["no"] else liked(_rest(match))


def _likes_to(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "I like to read before bed"."""
    phrase = leading_phrase(_rest(match), max_words=8, with_circumstances=True)
    if phrase and not rules.AT_HAND.search(phrase):
        yield from mention(category_of(phrase), key_of(phrase), "likes", 0.7)


def _now(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "I used to hate running, now I love it"."""
    before, now = match["before"].startswith(("hat", "dis", "can't", "desp")), match["now"] or ""
    likes_it = re.match(r"\s(?:\w+\s){0,2}(?:love|like|enjoy|adore|can't get enough)", now) is not None
    refuses = match["over"] is not None or re.match(
        r"\s(?:\w+\s){0,2}(?:hate|can't|don't|dislike|avoid|never|find it)", now
    )
    if likes_it and before:
        yield from liked(match["thing"])
    elif refuses and not before:
        yield from disliked(match["thing"])


def _not_to(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "I prefer not to drive at night"."""
    phrase = leading_phrase(_rest(match), max_words=7, with_circumstances=True)
    if phrase:
        yield from mention(category_of(phrase), key_of(phrase), "prefers not to", 0.7, "negative")


def _preference(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "My preference is for window tables"."""
    phrase = object_phrase(without_article(_rest(match)), max_words=6)
    if phrase:
        category, key = choice(phrase, None)
        yield from mention(category, key, phrase, 0.8)


def _need(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "I need silence to work"."""
    phrase = object_phrase(without_article(match["what"]), max_words=4)
    verb = match["verb"].lower()
    if phrase:
        yield from mention(category_of(verb), f"how to {verb} best", phrase, 0.7)


def _best(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "I sleep best with the window open"."""
    phrase = leading_phrase(_rest(match), max_words=6)
    verb = match["verb"].lower()
    if phrase:
        yield from mention(category_of(verb), f"how to {verb} best", phrase, 0.7)


def _usual(match: re.Match[str]) -> Iterator[PreferenceMention]:
    """ "My go-to order is a flat white"."""
    phrase = leading_phrase(without_article(_rest(match)), max_words=7)
    if phrase and not points_elsewhere(phrase) and (match["what"] or "") not in rules.NO_CHOICE:
        what, kind = match["what"] or "choice", "ideal" if match["kind"] in {"ideal", "preferred"} else "usual"
        yield from mention(category_of(f"{what} {phrase}"), f"{kind} {key_of(what)}", phrase, 0.8)


def _rest(match: re.Match[str]) -> str:
    return match.string[match.end() :]


Readers = tuple[tuple[re.Pattern[str], Reader], ...]

OWN_LIKINGS: Final[Readers] = (
    (rules.FOND, likes),
    (rules.AVERSE, dislikes),
    (rules.OVER, _given_up),
    (rules.AVOIDS, _avoided),
    (rules.REFUSES, _refused),
    (rules.SWITCHED, _switched),
    (rules.ONLY, _only),
    (rules.INSTEAD, instead),
    (rules.TAKEN, _taken),
    (rules.PERSON, _kind_of_person),
    (rules.WHEN, _situation),
    (rules.CLEFT, _cleft),
    (rules.BEST, _best),
    (rules.NOW, _now),
    (rules.LIKES_TO, _likes_to),
    (rules.EVERY_DAY, _liked_before),
    (rules.WITHOUT, likes),
    (rules.FINDS, _liked_before),
    (rules.NOT_TO, _not_to),
    (rules.NEED, _need),
)
"""Tried where "I" or "we" occurs; patterns and what reads them."""
OTHER_LIKINGS: Final[Readers] = (
    (rules.IS_LIKED, _liked_before),
    (rules.IS_DISLIKED, _disliked_before),
    (rules.BETTER, instead),
    (rules.USUAL, _usual),
    (rules.PREFERENCE, _preference),
    (rules.HOBBY, _cleft),
    (rules.FOR_ME, instead),
)
"""Tried where "my" or "me" occurs."""
