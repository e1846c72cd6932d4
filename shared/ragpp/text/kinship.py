"""Words for relatives, partners, friends and pets, and what a possessive before them says.

A relationship reads from the relative to the person it belongs to: "Salma MOTHER_OF Noor".
"""

import re
from typing import Final

_FAMILY: Final[dict[str, tuple[str, ...]]] = {
    "mother": ("mother", "mom", "mum", "mommy", "mummy", "mama", "mam", "ma"),
    "father": ("father", "dad", "daddy", "papa", "pa"),
    "parent": ("parent",),
    "sister": ("sister", "sis", "big sister", "little sister", "older sister", "younger sister", "twin sister"),
    "brother": ("brother", "bro", "big brother", "little brother", "older brother", "younger brother", "twin brother"),
    "grandmother": ("grandmother", "grandma", "granny", "gran", "nana", "nan"),
    "grandfather": ("grandfather", "grandpa", "grandad", "granddad"),
    "aunt": ("aunt", "auntie", "aunty"),
    "uncle": ("uncle",),
    "cousin": ("cousin",),
    "niece": ("niece",),
    "nephew": ("nephew",),
    "daughter": ("daughter",),
    "son": ("son",),
    "child": ("child", "kid", "baby", "toddler"),
    "grandchild": ("grandchild", "grandkid", "granddaughter", "grandson"),
    "wife": ("wife",),
    "husband": ("husband", "hubby"),
    "spouse": ("spouse",),
    "partner": ("partner", "significant other"),
    "girlfriend": ("girlfriend", "gf"),
    "boyfriend": ("boyfriend", "bf"),
    "fiancé": ("fiancé", "fiancée", "fiance", "fiancee"),
    "mother-in-law": ("mother-in-law", "mother in law"),
    "father-in-law": ("father-in-law", "father in law"),
    "sister-in-law": ("sister-in-law", "sister in law"),
    "brother-in-law": ("brother-in-law", "brother in law"),
    "stepmother": ("stepmother", "stepmom", "stepmum"),
    "stepfather": ("stepfather", "stepdad"),
    "stepsister": ("stepsister", "half-sister", "half sister"),
    "stepbrother": ("stepbrother", "half-brother", "half brother"),
    "stepson": ("stepson",),
    "stepdaughter": ("stepdaughter",),
    "son-in-law": ("son-in-law", "son in law"),
    "daughter-in-law": ("daughter-in-law", "daughter in law"),
    "godmother": ("godmother",),
    "godfather": ("godfather",),
}
_SOCIAL: Final[dict[str, tuple[str, ...]]] = {
    "friend": ("friend", "best friend", "close friend", "old friend", "good friend", "mate", "buddy", "pal"),
    "colleague": ("colleague", "co-worker", "coworker", "workmate", "teammate"),
    "boss": ("boss", "manager", "supervisor", "line manager", "team lead"),
    "neighbour": ("neighbour", "neighbor"),
    "flatmate": ("flatmate", "roommate", "housemate"),
    "classmate": ("classmate",),
    "teacher": ("teacher", "tutor", "professor", "coach", "instructor", "trainer"),
    "mentor": ("mentor",),
    "student": ("student", "pupil"),
    "doctor": ("doctor", "gp", "dentist", "therapist", "physio", "psychologist", "counsellor", "counselor"),
    "landlord": ("landlord", "landlady"),
}
PETS: Final = ("dog", "puppy", "cat", "kitten", "rabbit", "bunny", "horse", "pony", "hamster", "guinea pig", "parrot",
                "budgie", "tortoise", "turtle", "goldfish", "greyhound", "labrador", "poodle", "terrier", "spaniel",
                "beagle", "collie", "pug", "corgi",
                "dachshund", "retriever", "husky", "bulldog", "canary", "gecko", "lizard",
                "ferret", "chinchilla", "donkey", "goat", "gerbil", "iguana", "cockatiel", "parakeet", "kitty", "pup",
                "doggo", "tabby", "mare", "stallion", "snake")  # fmt: skip
"""Animals that live with someone and have names."""
_PLURALS: Final[dict[str, str]] = {
    "sisters": "sister", "brothers": "brother", "cousins": "cousin", "aunts": "aunt", "uncles": "uncle",
    "nieces": "niece", "nephews": "nephew", "daughters": "daughter", "sons": "son", "children": "child",
    "kids": "child", "friends": "friend", "best friends": "friend", "colleagues": "colleague",
    "neighbours": "neighbour", "neighbors": "neighbour", "flatmates": "flatmate", "roommates": "flatmate",
    "parents": "parent", "grandparents": "grandparent", "dogs": "dog", "cats": "cat", "twins": "child",
    "grandchildren": "grandchild", "grandsons": "grandchild", "granddaughters": "grandchild",
    "housemates": "flatmate", "classmates": "classmate", "coworkers": "colleague", "co-workers": "colleague",
    "boys": "child", "girls": "child", "little ones": "child",
}  # fmt: skip

CANONICAL: Final[dict[str, str]] = {
    **{word: kin for group in (_FAMILY, _SOCIAL) for kin, words in group.items() for word in words},
    **{word: word for word in PETS},
}
"""Lower-case word → the word that stands for all its like: "mum" → "mother"."""

PLURAL: Final[dict[str, str]] = _PLURALS
"""Lower-case plural → canonical singular, for "my brothers Karim and Sami"."""

UNIQUE: Final = frozenset(
    {"mother", "father", "wife", "husband", "spouse", "partner", "girlfriend", "boyfriend", "fiancé",
     "mother-in-law", "father-in-law"}
)  # fmt: skip
"""Relatives of whom a person has one, so that two mentions mean the same individual."""

ADDRESSED: Final = frozenset(
    {"mother", "mom", "mum", "mommy", "mummy", "mama", "father", "dad", "daddy", "papa",
     "grandma", "granny", "gran", "nana", "grandpa", "grandad", "granddad"}
)  # fmt: skip
"""Words that mean the speaker's own relative when they stand alone with a capital: "I told Mum"."""

TITLES: Final = frozenset({"aunt", "auntie", "aunty", "uncle", "grandma", "granny", "grandpa", "cousin"})
"""Words that come before a name without a possessive: "Aunt Rosa came by"."""

_FEMALE: Final = frozenset(
    {"mother", "sister", "grandmother", "aunt", "niece", "daughter", "wife", "girlfriend", "mother-in-law",
     "sister-in-law", "stepmother", "godmother"}
)  # fmt: skip
_MALE: Final = frozenset(
    {"father", "brother", "grandfather", "uncle", "nephew", "son", "husband", "boyfriend", "father-in-law",
     "brother-in-law", "stepfather", "godfather"}
)  # fmt: skip

_SPOUSES: Final = frozenset({"wife", "husband", "spouse"})
_PARTNERS: Final = frozenset({"partner", "girlfriend", "boyfriend", "fiancé"})


_LONGEST_FIRST: Final = sorted((*CANONICAL, *PLURAL), key=len, reverse=True)
_ANY_KIN: Final = rf"(?P<kin>{'|'.join(map(re.escape, _LONGEST_FIRST))})\b"
_KIN_WORD: Final = re.compile(rf"\b{_ANY_KIN}", re.IGNORECASE)
_OWN_KIN: Final = re.compile(rf"\b(?:my|our|your) (?:[\w-]+ ){{0,2}}?{_ANY_KIN}", re.IGNORECASE)


_NOBODY: Final = frozenset[str]()


def kin_in(text: str) -> frozenset[str]:
    """The canonical words for those of `text`, longest first: "my sister-in-law" has no sister."""
    return _canonical(_KIN_WORD, text)


def own_kin_in(text: str) -> frozenset[str]:
    """Those that are somebody's who talks: in "Salma, my sister, moved there with her husband" the sister alone."""
    return _canonical(_OWN_KIN, text)


def _canonical(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    found = [match["kin"].lower() for match in pattern.finditer(text)]
    return frozenset([CANONICAL.get(word) or PLURAL[word] for word in found]) if found else _NOBODY


def is_pet(kin: str) -> bool:
    """True where the canonical word names an animal that lives with someone."""
    return kin in PETS


def is_family(kin: str) -> bool:
    """True where the canonical word names kin or a partner: such a person is an entity even without a name."""
    return kin in _FAMILY or kin == "grandparent"


def relationship_type(kin: str) -> str:
    """The type of the edge from the relative to its owner, or from an owner to a pet ("OWNS")."""
    if is_pet(kin):
        return "OWNS"
    if kin in _SPOUSES:
        return "SPOUSE_OF"
    if kin in _PARTNERS:
        return "PARTNER_OF"
    return kin.upper().replace("-", "_") + "_OF"


def is_said_by_name(source: str, kind: str, target: str) -> bool:
    """True where the name of one end says all that the relationship does: "Noor's father FATHER_OF Noor"."""
    return any(_is_called(one, other, kind) for one, other in ((source, target), (target, source)))


def _is_called(name: str, whose: str, kind: str) -> bool:
    """True where `name` is a word for somebody who is that to `whose`."""
    owner, mark, word = name.casefold().replace("’", "'").rpartition("'s ")
    if not mark:
        owner, _, word = name.casefold().replace("’", "'").rpartition("' ")
    kin = CANONICAL.get(word) or PLURAL.get(word)
    return kin is not None and owner == whose.casefold().replace("’", "'") and relationship_type(kin) == kind


def pronoun(kin: str) -> str | None:
    """ "she" or "he" where the canonical word tells, else None."""
    if kin in _FEMALE:
        return "she"
    return "he" if kin in _MALE else None


def words(canonical: str) -> tuple[str, ...]:
    """All single words that mean `canonical`, itself first: what a look-up of "mother" should also try."""
    group = _FAMILY.get(canonical) or _SOCIAL.get(canonical) or (canonical,)
    return tuple(dict.fromkeys((canonical, *group)))
