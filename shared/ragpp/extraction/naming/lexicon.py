"""Closed word lists of English that tell a name from an ordinary word with a capital, and one kind from another.

All words are lower case; a token is looked up by its lower-case form. The lists are heuristics of this project,
kept to words that are frequent in conversation.
"""

from typing import Final

from ragpp.text.english import CALENDAR, word_set

DEMONYMS: Final = word_set(
    "english french german spanish italian portuguese dutch danish swedish norwegian finnish polish russian turkish "
    "greek chinese japanese korean arabic hindi urdu hebrew latin american british scottish irish welsh canadian "
    "australian mexican brazilian indian african european asian swiss austrian belgian czech hungarian romanian "
    "ukrainian croatian serbian egyptian moroccan nigerian kenyan thai vietnamese indonesian persian iranian cuban "
    "basque swahili mandarin cantonese bengali punjabi tamil farsi malay esperanto afrikaans slovak slovenian "
    "bulgarian "
    "bosnian albanian georgian armenian galician breton quechua maori hawaiian yiddish zulu yoruba amharic tagalog "
    "gaelic "
    "ghanaian ethiopian lebanese syrian iraqi pakistani filipino bolivian venezuelan ecuadorian israeli palestinian "
    "jamaican maltese californian texan parisian bavarian sicilian tuscan venetian baltic slavic balkan "
    "argentinian colombian peruvian chilean icelandic estonian latvian lithuanian catalan christian muslim jewish "
    "buddhist hindu catholic protestant western eastern northern southern victorian nordic scandinavian mediterranean"
)
"""Adjectives and languages: capitalised, never a name by themselves, fine inside one ("Nordic Map Archive")."""

ACRONYMS: Final = word_set(
    "ok tv lol omg btw fyi asap diy faq pdf usb wifi gps atm ceo cto cfo hr pr it ai ml ui ux api id cv pc gp phd mba "
    "ba bsc msc ma bbq dj vip rsvp pm am nye tbh imo imho idk brb ngl rn irl dm ps pps eta aka"
)

TITLES: Final = word_set("mr mrs ms miss dr prof professor sir madam lady lord captain reverend rev")

PERSON_VERBS: Final = word_set(
    "said says told tells asked asks sent sends texted texts called calls messaged emailed rang proposed wants wanted "
    "thinks thought loves loved likes liked hates hated lives lived moved married remembered remembers promised bought "
    "cooked cooks baked bakes invited visited drove flew knows knew met hugged cried laughed smiled wrote sings sang "
    "plays played graduated retired adopted agreed offered gave gives showed brought brings joined teaches taught "
    "misses missed forgot insists insisted helped works worked studies studied dropped borrowed lent snores barks "
    "purrs barked caught swears swore believes believed decided decides prefers preferred suggested recommended "
    "introduced introduces manages managed kept hates recommends runs leads teaches drives owns "
    "mentioned explained explains admitted admits complains complained insists apologised apologized apologises "
    "replied replies "
    "answered answers shouted whispered waved nodded hates cleans cleaned fixed fixes repaired painted paints draws "
    "drew sold "
    "sells rents rented hired fired quit quits resigned proposes reads writes travels travelled traveled visits "
    "hosts hosted "
    "organised organized organises organizes plans planned owes owed pays paid wears wore adores enjoys enjoyed "
    "dislikes detests "
    "refuses refused stayed stays slept cancelled canceled pretends pretended admires hopes hoped swims swam climbs "
    "climbed hikes "
    "hiked jogs cycles cycled rides rode dances danced practises practices trains trained coaches coached "
    "interviewed presented "
    "pitched debugged deployed shipped reviewed merged wrote drafted signed volunteered volunteers donated grew "
    "grows gardens "
    "sewed sews knits knitted speaks spoke understands understood "
    "dumped announced arrived came comes left lost won became runs ran walks walked sleeps slept eats ate drinks "
    "drank died"
)
"""Verbs whose subject, when it is capitalised, is somebody."""

MOTION: Final = word_set(
    "move moves moved moving go goes going went gone been come comes coming came fly flies flying flew drive drives "
    "driving drove travel travels travelling traveling travelled traveled trip trips back welcome train flight bus "
    "ferry relocate relocated relocating return returns returned returning ticket tickets way road get got getting "
    "arrive arrived writing greetings postcard away far tour journey visit sail sailed cycle cycled hike hiked"
)
"""Words after which "to" or "from" leads to a place."""

USED: Final = word_set(
    "use uses used using watch watched watching play played playing drive drives driving bought buy buying ordered "
    "order download downloaded install installed read reading wear wearing stream streaming binged binge rewatched"
)
"""Verbs whose capitalised object is a thing."""

ORG_NOUNS: Final = word_set(
    "hospital clinic university college school academy institute bank inc ltd llc gmbh corp corporation company group "
    "foundation museum archive archives library church club studio studios restaurant cafe café bakery hotel airlines "
    "airways agency council ministry department labs lab laboratories laboratory partners associates consulting "
    "technologies systems solutions software media press publishing orchestra choir band theatre theater gallery "
    "association society union federation league team practice surgery pharmacy bookshop bookstore store shop market "
    "harriers rovers united fc nursery kindergarten maps records pictures games motors electronics pharmaceuticals "
    "insurance logistics brewery winery charity trust committee"
)

PLACE_NOUNS: Final = word_set(
    "street road avenue lane square park lake river beach island islands mountain mountains valley bridge airport "
    "station county city coast forest bay hill hills village town harbour harbor canyon falls peninsula province "
    "district quarter bazaar alps highlands plaza boulevard pier castle cathedral"
)

EVENT_NOUNS: Final = word_set(
    "festival marathon conference summit cup olympics fair parade gala championship championships carnival convention "
    "symposium expo triathlon tournament hackathon biennale prix concert ball games week"
)

HOLIDAYS: Final = (
    "Christmas", "Christmas Eve", "Christmas Day", "Boxing Day", "Easter", "Thanksgiving", "Halloween", "Hanukkah",
    "Diwali", "Ramadan", "Eid", "Passover", "Valentine's Day", "New Year's Eve", "New Year's Day", "New Year",
    "Mother's Day", "Father's Day", "Independence Day", "Bonfire Night", "Mardi Gras", "Oktoberfest",
)  # fmt: skip

CONNECTORS: Final = word_set("of the de da do dos das del della di du van von der den la le al el & y e")
"""Lower-case words inside a name, only between two capitalised ones."""


def is_ordinary(word: str) -> bool:
    """True where a capitalised word is a day, a month, a language or an acronym of everyday speech, not a name."""
    lowered = word.lower().rstrip(".")
    return lowered in CALENDAR or lowered in DEMONYMS or lowered in ACRONYMS or lowered == "i"
