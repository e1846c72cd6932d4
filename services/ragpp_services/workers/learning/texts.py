"""Which words of a text say what it is about. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from ragpp.text.english import FUNCTION_WORDS
from ragpp.text.lexical import terms, words

_EMPTY_WORDS: Final = """
about above after again all almost already also although always am another any anybody anyone anything are around away
back because become been before being best better big bit both but came come could couldn't day days did didn't does
doesn't doing don't done down each even ever every everyone everything far few find first for from fun gave get gets
getting give glad go goes going gone good got great had happy hard has have haven't having he hello help her here hey hi
him his hope how i'd i'll i'm i've if into isn't it's its just keep kind knew know last least let let's life like little
long look looking looks lot lots love loved made make makes making man many maybe mean means might more most much must
my myself need needed new next nice no not nothing now of off oh ok okay old on once one ones only or other our out over
own people perhaps please pretty put quite rather real really right said same saw say saying see seem seems seen she
should show since so some someone something soon sorry sort sound sounds start started still such sure take taken takes
taking tell than thank thanks that that's their them themselves then there there's these they they're thing things
think this those though thought through time times to today together told tomorrow tonight too took tried true try
trying two under until up upon us use used usually very want wanted wants was wasn't way we we'll we're we've week weeks
well went were what's while who's why will wish with without won't wonderful wow yeah year years yes yesterday yet you
you'd you'll you're you've your yourself amazing awesome cool absolutely definitely actually especially feel feeling
feels felt guess heard hear honestly important interesting kinda literally moment reminds talk talking image photo
picture glad enjoy enjoyed check got gonna wanna gotta keep kept able proud super totally quick
happened happen part end place work working works bye lately currently seeing saw forward btw yep yup hmm haha lol how
here he she him her join others share sharing moments moment excited exciting excitement finally along huge busy special
motivated motivate inspiring inspired inspire awesome fantastic incredible congrats congratulations appreciate stuff bit
supportive support supporting believe help helps helped helping helpful use using used change changes changing learn
learning learned start starting started meet meeting met show showing shown forget forgot agree sometimes often
favorite favourite idea ideas plan plans bring brings bringing remember reminder remind spot everyday currently recently
later early late half whole enough sense easy hope hoping point case fact question questions answer maybe seriously
wait tough worth perfect words word plus large pic pics vid blast stop sign amount side mind sort fan
stay staying stayed join joined joining check hold holding gives giving given lost lose set put fine yourself ourselves
"""
EMPTY_WORDS: Final = FUNCTION_WORDS | frozenset(_EMPTY_WORDS.split())
"""Words that name no subject: function words, and what any chat is full of."""

_CLAUSE: Final = re.compile(r"[.!?…;:,\n()\[\]\"“”]+|\s[-–—]\s")


def content_stems(text: str) -> frozenset[int]:
    """The stems of the words of `text` that carry content."""
    return frozenset(terms(" ".join(word for word in words(text) if word not in EMPTY_WORDS)))


def stem(word: str) -> int:
    """The stem of one word."""
    found = terms(word)
    return found[0] if found else -1


def phrases(text: str) -> list[tuple[str, ...]]:
    """The words and the pairs of adjacent words of `text` that could name a subject, each once, in order: letters, at
    least three of them and nothing else, no empty word at either place; a pair does not cross punctuation."""
    found: dict[tuple[str, ...], None] = {}
    for clause in _CLAUSE.split(text):
        before: str | None = None
        for word in words(clause):
            clean = word.removesuffix("'s")
            good = len(clean) > 2 and clean not in EMPTY_WORDS and clean.isalpha()
            if good:
                found[clean,] = None
                if before is not None:
                    found[before, clean] = None
                before = clean
            else:
                before = None
    return list(found)


def label_of(
    texts: Sequence[str], typical: str, *, share: float = 0.6, most: int = 3, leave: Iterable[str] = ()
) -> str:
    """What `texts` have in common, in the words and order of the `typical` one: those of its content words that at
    least `share` of the texts have; the empty text where there are none."""
    wanted = Counter(one for text in texts for one in content_stems(text))
    left = {stem(word) for word in leave}
    label: list[str] = []
    for word in words(typical):
        one = stem(word)
        common = wanted[one] >= share * len(texts) and one not in left and word not in EMPTY_WORDS
        if common and len(word) > 1 and word not in label:
            label.append(word.removesuffix("'s"))
    return " ".join(label[:most])
