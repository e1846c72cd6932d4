"""The words of the people in the oracle's scripts: sentences of which everything comes that is learned.

A kind that is left out of a script leaves its sentences out, so that a field that is being mended can be switched off.
"""

from collections.abc import Mapping
from typing import Final, Literal, get_args

Kind = Literal[
    "small_talk",
    "kinship",
    "spellings",
    "homes",
    "preferences",
    "rules",
    "findings",
    "patterns",
    "replies",
    "staying",
    "jobs",
    "acts",
    "sessions",
    "users",
    "workers",
    "summaries",
    "model",
    "catalog",
]
"""The first nine are what is said; `staying`: replies that stay where what they repeat is forgotten; `jobs`:
extraction, reflection and upkeep also before something is forgotten; `acts`: a person's; `sessions`, `users`: forgotten
whole; `workers`: stopped and killed; `summaries`: of sessions with a small window; `model`: a language model reads,
too; `catalog`: conversations and documents are kept, and items and pages made of them."""
KINDS: Final[frozenset[Kind]] = frozenset(get_args(Kind))

SAID: Final[Mapping[Kind, tuple[str, ...]]] = {
    "small_talk": (
        "The harbour was quiet.",
        "We talked about the winter market for an hour.",
        "I met Ann at the harbour yesterday.",
        "Ann works at Harbour Clinic.",
    ),
    "kinship": (
        "My mother lives in Paris.",
        "My mother Salma lives in Rabat.",
        "My mother Fatima lives in Rome.",
        "My mother works at Globex.",
        "My brother Karim moved to Lisbon.",
        "My brother works at Initech.",
        "Karim is my brother.",
        "My sister Elena is married to Marco.",
    ),
    "spellings": (
        "Ann works at St. Mary's Hospital.",
        "Ann works at St Marys Hospital.",
        "I met Bob at St. Mary's Hospital.",
        "Bob moved to Zürich.",
        "Bob lives in Zurich.",
    ),
    "homes": (
        "I live in Paris.",
        "I moved to Rome.",
        "I work at Globex.",
        "I quit my job at Globex and now I work at Initech.",
        "I no longer work at Initech.",
        "Elena moved to Porto.",
        "Elena lives in Oslo.",
    ),
    "preferences": (
        "I prefer tea over coffee.",
        "I prefer coffee over tea.",
        "I love jazz.",
        "I hate jazz.",
        "My favourite food is sushi.",
        "My favourite food is ramen.",
        "I don't like olives.",
    ),
    "rules": (
        "Please always answer in French.",
        "From now on, answer in German.",
        "Never use emojis.",
        "No bullet points.",
        "Again, no bullet points.",
        "When I ask for code, skip the explanation.",
    ),
    "findings": (
        "I decided to sell the boat.",
        "I plan to visit Lisbon next May.",
        "I realised that the pump leaks.",
        "The build failed because the disk was full.",
        "On 3 May 2023 I graduated from school.",
    ),
    "patterns": (
        "What's the weather like today?",
        "I went running this morning.",
        "I went swimming with Ann.",
        "How is the traffic in town?",
    ),
}
"""The texts that are said anew whenever they are said, by kind."""

CARRIERS: Final[Mapping[Kind, tuple[str, ...]]] = {
    "small_talk": ("We talked about {word} for an hour.", "I met {word} at the harbour."),
    "kinship": ("My aunt {word} lives in Oslo.", "My mother {word} lives in Cairo."),
    "spellings": ("I met {word} in Zürich.",),
    "homes": ("I moved to {word}.", "I work at {word} Hospital."),
    "preferences": ("I prefer {word} tea over coffee.", "My favourite food is {word} soup."),
    "rules": ("Please always answer with {word} jokes.", "Never mention {word}."),
    "findings": ("I decided to paint the {word} fence.", "I plan to read {word} next May."),
    "patterns": ("What's the {word} weather like today?",),
}
"""A message's other words, which are forgotten later: in its place stands a word that nobody else says."""

OWN_REPLIES: Final = ("I decided to use PostgreSQL for the ledger.", "I realised that the cache was stale.")
"""An assistant's own words, each once: said again it would repeat itself, and not be learned from."""
REPEATING: Final = "As you said: {said}"
"""How it repeats."""
PARTLY: Final = "{start}, with {name}. {name} works at Initech."
"""How it repeats and says more; `start`: what is repeated without its last full stop."""
NAMED: Final = ("Vera Lang", "Rolf Weber", "Ines Brandt", "Otto Maier", "Lena Vogel", "Nils Holm")
"""Whom it names there, each once."""
CATEGORIES: Final[Mapping[str, str]] = {
    "prices": "What plans and services cost per month, and what is included.",
    "people": "Where people live and work, whom they know and what they like.",
}
"""Categories of everybody's catalog, with their descriptions."""
DOCUMENTS: Final = (
    "The Basic plan costs $99 per month. The Pro plan costs $299 per month.",
    "The Pro plan costs $299 per month. Support answers within 4 hours.",
    "The Pro plan costs $349 per month. The ledger has 12 tables.",
    "The ledger has 12 tables. The Basic plan costs $99 per month. Ann works at Harbour Clinic.",
)
"""Documents that are kept: they say some things alike, and one otherwise than another."""
DOCUMENTS_CARRY: Final = "The {word} plan costs $49 per month."
"""A document's other words, which are forgotten later."""
ITEMS: Final = ("The Pro plan costs $299 per month.", "The ledger has 12 tables.", "Ann works at Harbour Clinic.")
"""Items that are stored by hand: documents say it, too."""
ITEM_CARRIES: Final = "The {word} contract ends in May 2025."
"""The words of an item that is forgotten later."""
AGENT: Final = "sales"
DAYS: Final = ("2024-03-04", "2024-03-05", "2024-03-06", "2024-03-07", "2024-03-08")
QUERIES: Final = (
    "Where does my mother live?",
    "Who is Salma?",
    "Where does my mother work?",
    "What is my brother called, and where does he live?",
    "Who works at St. Mary's Hospital?",
    "Where does Ann work?",
    "Where does Bob live?",
    "Where do I live?",
    "Where do I work?",
    "Where does Elena live, and who is she married to?",
    "tea or coffee?",
    "What music do I like?",
    "What is my favourite food?",
    "How shall you answer?",
    "bullet points in code",
    "What did I decide?",
    "What are my plans for May?",
    "What failed, and why?",
    "What do I do in the morning?",
    "the harbour",
)
