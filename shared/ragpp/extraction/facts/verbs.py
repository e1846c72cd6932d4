"""Finds the finite verb of an English clause, and with it what the clause is about and what it says of that.

There is no tagger: a verb is known by its form, by what stands before it and by what follows. Our own heuristic.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ragpp.extraction.times.tenses import IRREGULAR_PASTS
from ragpp.text.english import CALENDAR, NUMBERS, STOP_WORDS, word_set

AUXILIARIES: Final = word_set(
    "is are was were am has have had do does did will shall can cannot must should may might could would isn't aren't "
    "wasn't weren't hasn't haven't hadn't don't doesn't didn't won't shan't can't mustn't shouldn't couldn't wouldn't"
)
BASES: Final = word_set(
    "accept add affect aim allow answer appear apply approve arrive ask assign attend author back ban begin belong "
    "block borrow break bring build buy call cancel carry cause change charge check choose claim clear close collect "
    "come commit connect consist contain continue convert copy cost count cover crash create cut deal decide decline "
    "default define delay delete deliver depend deploy describe differ do double drink drive drop earn eat employ "
    "enable end enter exceed exist expect expire export extend fail fall feature fetch fill finish fit fix fly follow "
    "forward freeze get give go govern grow guarantee handle hang happen have help hire hold host hurt ignore import "
    "improve include increase install integrate invest invoice issue join keep know lack land last launch lead learn "
    "leave lend let lie limit list live load log lose maintain make manage match mean measure meet merge migrate "
    "mount move name need notify occur offer open operate order overlap own park pass pay perform plan play point "
    "post prefer prevent print process produce prohibit provide publish pull push put qualify queue quit reach read "
    "rebuild receive record redirect reduce refund refuse reject release rely remain remove renew rent replace reply "
    "report represent require reserve reset resolve rest restart retain retire retry return ride rise rotate round "
    "run save scale schedule seat sell send serve set ship show sign sit sleep speak specify spend sponsor stand "
    "start state stay stop store stream study submit subscribe supply support switch sync take talk target teach "
    "throw timeout total track trade train travel trigger turn update upgrade use validate vary visit wait walk want "
    "watch weigh win work write"
)
"""Verbs of texts of every kind, in the form that a plural subject takes."""
_THIRD_PERSON: Final = frozenset(
    form
    for base in BASES
    for form in (f"{base}s", f"{base}es", f"{base[:-1]}ies" if base.endswith("y") else f"{base}s")
)
_NOT_PAST: Final = word_set(
    "need indeed speed breed hundred embed exceed proceed succeed bed red shed wed feed seed weed bleed based "
    "detailed so-called unlimited limited advanced dedicated embedded automated"
)
_INVARIANT: Final = word_set("cost costs set put hit cut shut let quit read hurt costed rose fell")
DETERMINERS: Final = word_set(
    "the a an my our your his her its their this that these those some any no every each all both of and or another "
    "several many few more most other such two three four five six seven eight nine ten per between new current"
)
BEFORE_A_NOUN: Final = word_set("in on at by for from with to into about near than as per via under over without")
_FOLLOW: Final = word_set(
    "the a an my our your his her its their this that these those at on in to for from with by as into about between "
    "only up out down back off over under not no every each all both once twice daily weekly monthly yearly annually "
    "automatically directly immediately after before during until within through via per exactly around roughly "
    "approximately nearly almost more less one two three four five six seven eight nine ten eleven twelve three-year "
    "it them him me us you someone everyone any some never always"
)
_ARTICLES: Final = word_set("the a an your its them")
_OBJECTS: Final = word_set("it them him her the a an my our this that these those two three four five six twice")
_ADVERBS: Final = word_set("not never always also still only usually often already now currently just no longer ever")
_LITTLE: Final = _ADVERBS | _FOLLOW | DETERMINERS | BEFORE_A_NOUN | STOP_WORDS | CALENDAR
_SPEAKERS: Final = word_set("i we they")
_PLURAL_SUBJECTS: Final = word_set("i we you they who which that people children men women staff")
_WORD: Final = re.compile(r"[^\W_](?:[\w'’+&/#@]|[-.](?=\w))*")
_IS: Final = re.compile(r"(?:it|that|there|he|she|here|who|what|this)'s$|\w+'(?:m|re|ve|ll|d)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Verb:
    """`text[start:end]` is the first word of a finite verb."""

    start: int
    end: int


@dataclass(frozen=True)
class Clause:
    """A stretch of text with its first finite verb, if it has one."""

    text: str

    @cached_property
    def verb(self) -> Verb | None:
        return finite_verb(self.text)

    @cached_property
    def subject(self) -> str:
        """The words before the verb, without what goes before the subject: "In May, the team" → "the team"."""
        if self.verb is None:
            return ""
        before = self.text[: self.verb.start].strip()
        contracted = _IS.match(self.text[self.verb.start : self.verb.end])
        if contracted:
            before = f"{before} {contracted.group().partition(chr(39))[0]}".strip()
        head, _, last = before.rpartition(",")
        if last.strip() and head.split()[:1] and head.split()[0].lower() in _FRONTING:
            before = last.strip()
        return _trailing_adverbs(before)

    @property
    def verb_word(self) -> str:
        """The first word of the verb; empty without one."""
        return self.text[self.verb.start : self.verb.end] if self.verb else ""

    @cached_property
    def predicate(self) -> str:
        """The words behind the first one of the verb; of a text without a verb, all of them."""
        return self.text[self.verb.end :].strip() if self.verb else self.text


_FRONTING: Final = BEFORE_A_NOUN | word_set(
    "since after before until during once when if while although though as starting beginning currently today "
    "yesterday last next this every each however also then unlike like besides outside inside because within"
)


def _trailing_adverbs(subject: str) -> str:
    words = subject.split()
    while words and (words[-1].lower() in _ADVERBS or (words[-1].endswith("ly") and words[-1].islower())):
        words.pop()
    return " ".join(words)


def words_with_places(text: str) -> list[re.Match[str]]:
    """The words of `text`, with what belongs to a word in names, numbers and identifiers."""
    return list(_WORD.finditer(text))


def finite_verb(text: str) -> Verb | None:
    """The first word of the first finite verb that is not the first word of `text`, unless only an auxiliary or a
    contraction; None where there is none to be seen. A word that is no known verb is taken for one by its form and its
    place alone where there is no other."""
    found = words_with_places(text)
    for index, match in enumerate(found):
        word = match.group().replace("’", "'")
        if _is_contraction(word) or (word.lower() in AUXILIARIES and not _is_a_name_or_month(word, index)):
            return Verb(*match.span())
        if index and _is_verb(found, index):
            return Verb(*match.span())
    likely = (match for index, match in enumerate(found) if index and _may_be_a_verb(found, index))
    return next((Verb(*match.span()) for match in likely), None)


def starts_with_a_verb(text: str) -> bool:
    """True where `text` begins with a verb in the third person, whose subject is elsewhere: "includes API access"."""
    found = words_with_places(text[:200])
    if not found:
        return False
    lowered = found[0].group().lower()
    if lowered in AUXILIARIES:
        return True
    following = found[1].group() if len(found) > 1 else ""
    beyond = bool(following) and _goes_on(following)
    if lowered in _THIRD_PERSON:
        return beyond or len(found) > 1
    return beyond and (_is_past(lowered) or _has_the_third_person(lowered))


def lacks_the_speaker(text: str) -> bool:
    """True where `text` begins with what its speaker did, without "I": "Bought it in May"."""
    found = words_with_places(text[:80])
    if len(found) < 2 or "?" in text:
        return False
    word, following = found[0].group().lower(), found[1].group().lower()
    return (_is_past(word) or word in {"did", "had"}) and (following in _OBJECTS or following[0].isdigit())


def starts_with_a_past(text: str) -> bool:
    """True where the first word of `text`, over adverbs, is a past or a past participle by its form."""
    spoken = (match.group().lower() for match in words_with_places(text[:80]))
    return _is_past(next((word for word in spoken if word not in _ADVERBS and not word.endswith("ly")), ""))


def starts_with_an_order(text: str) -> bool:
    """True where `text` begins with a verb as it is in an order: "Send the invoice to Marta"."""
    found = words_with_places(text[:80])
    if not found:
        return False
    words = [match.group().lower().replace("’", "'") for match in found[:3]]
    if words[0] in {"please", "let's", "let", "don't", "never", "always", "remember", "note", "ensure", "make", "see"}:
        return True
    if len(words) > 1 and words[1] in _ARTICLES and _is_a_base(words[0]):
        return True
    if words[0] not in BASES | _ORDERS:
        return False
    if _is_what_is_spoken_of(words[1:], found[1].group() if len(found) > 1 else ""):
        return False
    verb = finite_verb(text)
    return verb is None or _goes_on(words[1])


def _is_a_base(word: str) -> bool:
    """True where a word before an article can be an order by its form: no noun stands there, but for names."""
    return (
        _is_no_little_word(word)
        and word not in _FRONTING
        and word not in AUXILIARIES
        and not word.endswith(("ing", "ed", "s"))
        and word not in IRREGULAR_PASTS
    )


def _is_what_is_spoken_of(words: list[str], following: str) -> bool:
    """True where a verb follows, with or without a number or a name between: "Support is …", "Work starts at nine",
    "Order 7781 was split"."""
    if not following:
        return False
    if not following[0].islower():
        words = words[1:]
    return bool(words) and (words[0] in AUXILIARIES or words[0] in _THIRD_PERSON or _is_past(words[0]))


_ORDERS: Final = word_set(
    "click tap press select enter type choose configure download sign contact email visit review verify confirm "
    "consider avoid try think look tell say bring share book copy paste restart reboot navigate scroll refer find feel "
    "congratulate double-check prepare draft escalate document discuss agree wait ping reach investigate rename "
    "rewrite figure mix fold bake rinse stir pour heat cook boil fry chop slice peel drain sprinkle knead whisk blend "
    "chill season spread cover place plug unplug scan screw unscrew tighten loosen attach detach insert eject slide "
    "wipe clean wash dry brush sand paint glue cut shake rub soak squeeze grate melt simmer roast grill drizzle "
    "dissolve reattach reinsert disconnect reconnect swap lower lift rotate align"
)


def _is_contraction(word: str) -> bool:
    return _IS.match(word) is not None


def _is_a_name_or_month(word: str, index: int) -> bool:
    return index > 0 and word in {"May", "Will"}


def _before(found: list[re.Match[str]], index: int) -> str:
    """The word before, in lower case, over an adverb."""
    previous = found[index - 1].group().lower().replace("’", "'")
    if index > 1 and (previous in _ADVERBS or previous.endswith("ly")):
        return found[index - 2].group().lower()
    return previous


def _is_verb(found: list[re.Match[str]], index: int) -> bool:
    word, previous = found[index].group(), _before(found, index)
    following = found[index + 1].group() if index + 1 < len(found) else ""
    if not word.islower():
        return False
    if (previous in NUMBERS and word in IRREGULAR_PASTS and (not following or _goes_on(following))) or (
        previous in _SPEAKERS and _is_no_little_word(word)
    ):
        return True
    numbered = previous[0].isdigit() and not (index > 1 and found[index - 2].group()[0].isupper())
    if numbered or previous in DETERMINERS or previous in BEFORE_A_NOUN or previous.endswith("'s"):
        return False
    return _is_a_verb_behind(previous, word, following)


def _is_a_verb_behind(previous: str, word: str, following: str) -> bool:
    if word in _INVARIANT or (_is_past(word) and word not in DETERMINERS):
        return not following or following.lower() != "of"
    if word in BASES:
        plural = previous in _PLURAL_SUBJECTS or _is_plural(previous)
        return plural and (not following or following.lower() != "of" or word == "consist")
    if word in _THIRD_PERSON:
        return not following or following.lower() not in {"of", "and", "or", "are", "were", "is"}
    return _has_the_third_person(word) and bool(following) and _goes_on(following)


def _may_be_a_verb(found: list[re.Match[str]], index: int) -> bool:
    """By form and place: "The altos rehearse on Mondays", "The left brake squeaks"."""
    word, previous = found[index].group(), _before(found, index)
    following = found[index + 1].group() if index + 1 < len(found) else ""
    if not _is_no_little_word(word) or previous in DETERMINERS or previous in BEFORE_A_NOUN or previous[0].isdigit():
        return False
    if _is_plural(previous):
        return bool(following) and not word.endswith(("s", "ing")) and _goes_on(following)
    singular = previous.isalpha() and not previous.endswith(("s", "ing")) and _is_no_little_word(previous)
    inside = found[0].group().lower() in {"no", "any"} or found[index - 2].group().lower() in BEFORE_A_NOUN
    ends = not following or following.endswith("ly")
    return index > 1 and singular and not inside and _has_the_third_person(word) and ends


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is", "'s")) and word not in _THIRD_PERSON


def _is_no_little_word(word: str) -> bool:
    return word.isalpha() and word.islower() and len(word) > 2 and not word.endswith("ly") and word not in _LITTLE


def _is_past(word: str) -> bool:
    return word in IRREGULAR_PASTS or (word.endswith("ed") and len(word) > 4 and word not in _NOT_PAST)


def _has_the_third_person(word: str) -> bool:
    return word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is", "'s", "ous"))


def _goes_on(following: str) -> bool:
    """True where a word may follow a verb at once, and seldom follows a noun."""
    lowered = following.lower()
    return lowered in _FOLLOW or lowered in NUMBERS or not following[0].islower()
