"""English: its calendar, its numbers, and the words that say little of what a text is about.

Words are in lower case, names of months and days as they are written. The calendar is not the standard library's, which
speaks the language of the process's locale. Word lists that serve one purpose of extraction alone are in
`ragpp.extraction.naming.lexicon`.
"""

from datetime import datetime
from typing import Final


def word_set(text: str) -> frozenset[str]:
    """The words of a text that white space divides."""
    return frozenset(text.split())


MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
MONTH_ABBREVIATIONS: Final = tuple(name[:3] for name in MONTHS)
ANY_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
"""A pattern for the name of a month or its abbreviation without a full stop, where case is ignored."""
WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
ANY_WEEKDAY: Final = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
)
"""The same for the days of the week."""
CALENDAR: Final = word_set(
    " ".join((*MONTHS, *MONTH_ABBREVIATIONS, *WEEKDAYS, *(f"{day}s" for day in WEEKDAYS))).lower()
    + " sept mon tue tues wed weds thu thur thurs fri sat sun"
)
"""Every form of a month or a day of the week."""

NUMBERS: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12,
}  # fmt: skip
"""Numbers that are more often spelt out than written in digits."""
TEENS: Final = {
    "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
TENS: Final = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip


def month_number(name: str) -> int:
    """1 to 12, of a month or its abbreviation in any case. ValueError for any other word."""
    return MONTH_ABBREVIATIONS.index(name[:3].capitalize()) + 1


def day_in_words(moment: datetime) -> str:
    """The moment's day as it is spoken of: `8 May 2023`."""
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"


FUNCTION_WORDS: Final = word_set(
    """
    what when where who whom whose which why how do does did is are was were am be been being has have had having would
    can could shall should might must the a an of to in on at for with from by as and or it its that this these those
    there i me my mine you your yours we us our ours
    """
)
"""Words that make a question one and say nothing of its subject. They are rare in statements, so their inverse document
frequency would take them for the rarest words of all. `may` and `will` are also a month and a name."""

STOP_WORDS: Final = FUNCTION_WORDS | word_set(
    """
    he him his himself she her hers herself itself myself yourself they them their theirs themselves ourselves
    anybody anyone anything someone something everyone everything nothing one ones other others another
    all any both each every few many more most much no not own same some such
    about above after again along around before down during further into off once out over since through under until up
    upon while without
    almost already also although always because but even ever here if just maybe nor now often only perhaps quite
    rather so sometimes still than then though together too usually very will yet
    couldn't didn't doesn't doing don't done haven't i'd i'll i'm i've isn't it's let's that's there's they're wasn't
    we'll we're we've what's who's won't you'd you'll you're you've
    get gets getting go goes going got know like said say says tell told talk
    """
)
"""Words by which nothing is found and that name nothing: function words, what else joins, points and counts, and verbs
that carry no meaning of their own. More than ranking leaves out of a question, which counts how rare a word is. Not
spaCy's list: it comes with 80 MB and half a second for services that parse nothing, and counts nouns and numbers in."""

CHAT_WORDS: Final = word_set(
    """
    hi hey hello bye thank thanks please sorry yes yeah yep yup ok okay oh hmm wow haha lol btw congrats
    congratulations gonna wanna gotta kinda
    able absolutely actually amazing awesome best better big busy cool definitely easy especially excited exciting
    excitement fantastic far favorite favourite fine forward fun glad good great happy hard helpful honestly huge
    important incredible interesting literally little long nice old perfect pretty proud real really right seriously
    special super sure tough totally true well whole wonderful worth
    become came come gave give given gives giving gone hear heard feel feeling feels felt find keep kept knew let look
    looking looks made make makes making mean means meet meeting met need needed put saw saying see seeing seem seems
    seen show showing shown take taken takes taking talking think thought took tried try trying use used using want
    wanted wants went
    agree appreciate believe bring bringing brings change changes changing check enjoy enjoyed forget forgot guess
    happen happened help helped helping helps hold holding hope hoping join joined joining learn learned learning lose
    lost love loved remember remind reminder reminds set share sharing sound sounds start started starting stay stayed
    staying stop wait wish work working works
    answer bit case end fact idea ideas kind life lot lots man mind part people place plan plans plus point question
    questions sense side sort stuff thing things way word words
    away back currently day days early enough everyday finally first half last late lately later least moment moments
    new next quick recently soon time times today tomorrow tonight two week weeks year years yesterday
    """
)
"""Words that fill any chat, whatever it is about: greetings, praise, common verbs and nouns, and time going by."""

SENTENCE_OPENERS: Final = word_set(
    # pronouns, determiners, question words, conjunctions, prepositions, auxiliaries
    "born raised moved relocated settled quit left joined visited adopted bought sold graduated retired resigned "
    "started "
    "been prefer switched allergic vegan vegetarian engaged married based living working studying teaching dating "
    "obsessed decided realised realized learned forgot planning booked signed finished hired fired laid spent "
    "i i'm im ive you he she it we they me him her us them my your his its our their mine yours this that these those "
    "a an the some any no none nothing nobody everyone everybody everything someone somebody something anyone anybody "
    "anything all both each every either neither many much most more less few several another other others such same "
    "who whom whose what which when where why how whatever whenever wherever whoever and or but nor so yet for because "
    "since although though while if unless until till after before once as than whether despite in on at by with "
    "without from to of off over under into onto through during about around between among against across along near "
    "behind beside besides beyond except per up down out like be is are was were am been being do does did done have "
    "has had having can could may might must shall should will would ought let's lets there here "
    # adverbs, time, discourse
    "not never always often sometimes usually maybe perhaps probably possibly definitely absolutely certainly surely "
    "honestly actually basically really seriously literally apparently obviously clearly luckily fortunately "
    "unfortunately sadly hopefully finally eventually recently lately currently suddenly meanwhile anyway anyways "
    "also too just only even still already again soon later now then today tonight tomorrow yesterday afterwards "
    "instead otherwise however therefore thus hence moreover furthermore first second third next last lastly today's "
    "speaking confession question update news fact story note reminder tip rule step part point option number "
    # greetings and interjections
    "hi hey hello hiya howdy yo morning afternoon evening night goodnight goodbye bye cheers thanks thank ta welcome "
    "congrats congratulations sorry please yes yeah yep yup no nope nah ok okay sure right fine great good nice cool "
    "awesome amazing lovely wonderful fantastic brilliant perfect excellent wow oh ooh ah aha haha hahaha hehe lol omg "
    "ugh oops ouch hmm hm um uh well alas hooray yay phew gosh jeez damn dear happy merry best love hugs "
    "sounds looks seems feels glad plus anytime whoa woah woohoo dang yikes yup ooof oof nice bravo cheers gotcha "
    "deal done noted agreed exactly indeed true false tempting huge tired strange weird interesting same sensible "
    # verbs that open an order, a report or a question
    "tell ask call give send bring take come go get let look see watch listen wait stop start try keep make put think "
    "remember forget guess imagine suppose say says said consider check read write meet help show use need want hope "
    "wish love hate miss enjoy buy find know mean feel turn leave move work works worked play run stay talk call "
    "visit invite bet trust believe describe explain list summarize summarise translate compare suggest recommend "
    "plan book open close set add remove update create delete save share post click type press follow "
    "going coming getting trying looking thinking working making doing being having waiting "
    # frequent nouns and adjectives
    "people work home life time day week month year weekend summer winter spring autumn fall school college university "
    "breakfast lunch dinner coffee tea food music family friends friend kids parents money health weather rain "
    "traffic christmas-time half dietary quick long short big small "
    "old new little poor apart thing things stuff everything's someone's god lord jesus heaven mom's dad's"
).union(NUMBERS)
"""Words that start a sentence with a capital although they name nobody."""
