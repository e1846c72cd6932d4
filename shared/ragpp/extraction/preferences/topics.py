"""Which category a preference belongs to, and which question it answers.

The key decides what a changed mind replaces: "I prefer tea" and later "I prefer coffee" answer the same question
only because both are drinks.
"""

from typing import Final

from ragpp.extraction.phrases import key_of, singular, without_article
from ragpp.text.english import word_set

_CHOICES: Final[dict[str, tuple[str, frozenset[str]]]] = {
    "drink": ("food", word_set("tea coffee espresso cappuccino matcha juice water wine beer cider soda cola")),
    "means of transport": ("travel", word_set("train plane flight flying car driving bus ferry bike bicycle cycling "
                                               "walking boat coach tram metro subway taxi")),
    "means of contact": ("communication", word_set("email mail message text texting call calling phone whatsapp slack "
                                                    "letter telephone sms zoom video")),
    "kind of holiday": ("travel", word_set("beach mountain camping hotel hostel airbnb city countryside")),
    "season": ("general", word_set("summer winter spring autumn fall")),
    "time of day": ("general", word_set("morning evening night afternoon")),
    "place of work": ("work", word_set("office home remote remotely hybrid")),
    "pet": ("general", word_set("dog cat")),
    "colour theme": ("general", frozenset(("dark mode", "light mode", "dark", "light"))),
    "units": ("communication", frozenset(("metric", "imperial", "celsius", "fahrenheit", "kilometre", "mile"))),
    "book format": ("general", word_set("paperback hardback hardcover ebook audiobook kindle")),
    "meat or vegetables": ("food", word_set("meat vegetable fish")),
}  # fmt: skip

_CATEGORY_WORDS: Final[dict[str, frozenset[str]]] = {
    "food": word_set(
        "food eat eating drink drinking cook cooking breakfast lunch dinner meal snack dish recipe restaurant "
        "cuisine pizza pasta bread cheese meat fish chicken beef pork lamb rice salad soup cake chocolate dessert "
        "fruit vegetable spicy sweet sugar salt pepper garlic onion tomato mushroom olive egg milk butter coffee "
        "tea wine beer alcohol juice coriander cilantro seafood shellfish prawn shrimp nut peanut curry noodle "
        "sushi taco burger sandwich honey bun cardamom orange apple banana avocado walnut mussel trout potato "
        "vegan vegetarian"
    ),
    "travel": word_set(
        "travel travelling traveling trip flight fly flying plane airport train seat window aisle hotel hostel "
        "camping beach ferry cruise luggage road holiday vacation abroad airline bus drive driving cabin airbnb "
        "passport"
    ),
    "work": word_set(
        "work working job office meeting deadline colleague boss project schedule shift remote remotely home-office "
        "standup overtime rota desk code coding programming career client"
    ),
    "communication": word_set(
        "call calls message messages text email emails phone reply replies answer answers language tone write "
        "writing speak bullet bullets summary summaries emoji emojis formal jargon explanation explanations "
        "notification notifications voice spell respond response responses units metric contact chat"
    ),
    "health": word_set(
        "health medicine doctor exercise gym run running swim swimming yoga sleep sleeping diet smoke smoking hospital "
        "cycling hiking walking jogging pilates meditate meditation workout"
    ),
    "entertainment": word_set(
        "music song band film films movie movies series show book books novel novels game games podcast theatre "
        "concert jazz rock opera horror thriller comedy reading writing television"
    ),
}


def category_of(phrase: str) -> str:
    """The first category that a word of the phrase belongs to, or "general"."""
    words = phrase.lower().replace("'s", "").split()
    for category, known in _CATEGORY_WORDS.items():
        if any(word in known or singular(word) in known for word in words):
            return category
    return "general"


def _belongs(key: str, members: frozenset[str]) -> bool:
    """True where the key or its head is a member: "tea", "green tea", but not "working from home"."""
    return key in members or (key.rpartition(" ")[2] in members and not key.partition(" ")[0].endswith("ing"))


def choice(preferred: str, over: str | None) -> tuple[str, str]:
    """(category, key) of "I prefer `preferred` over `over`".

    Two of one known kind share its key ("drink"). Otherwise two alternatives are the question themselves, in
    alphabetical order, and a single one is known by its head: "short answers" answers "answer".
    """
    first = key_of(without_article(preferred))
    second = key_of(without_article(over)) if over else None
    for key, (category, members) in _CHOICES.items():
        if _belongs(first, members) and (second is None or _belongs(second, members)):
            return category, key
    category = category_of(preferred if over is None else f"{preferred} {over}")
    words = first.split()
    if second and not (words[-1] == second.split()[-1] and len(words) > 1):
        return category, " or ".join(sorted((first, second)))
    gerund = words[0].endswith("ing")
    return category, first if gerund or len(words) == 1 else words[-1]
