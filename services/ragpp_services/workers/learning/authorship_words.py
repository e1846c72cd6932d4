"""Words by what they speak of, for `authorship`: a class is worth what its words are worth that no training saw."""

from collections.abc import Mapping
from typing import Final

_CLASSES: Final = {
    "audience": "customer customers client clients guest guests tenant tenants staff employee employees parents "
    "visitors members passengers patients students pupils children residents colleagues team everyone "
    "everybody all applicants volunteers drivers agents readers users participants families neighbours "
    "interns players swimmers candidates",
    "writing": "email e-mail mail letter note sign poster leaflet flyer text message article page website site post "
    "comment review guide guidelines rules policy terms contract clause manual handbook brochure "
    "newsletter ad prompt readme doc docs document file minutes transcript ticket log script output "
    "caption lyrics poem story chapter scene draft speech essay paragraph sentence sentences excerpt "
    "profile cv application agenda invite memo notice list diary book magazine blog forum chat thread sms "
    "voicemail recording screenshot photo scan ocr",
    "saying": "say says said saying tell tells told wrote writes write written asks asked insists insisted claims "
    "wants texted posted replied mentioned suggested recommends recommended demands demanded shouted "
    "whispered quoted goes motto saying according reads",
    "people": "boss manager landlord landlady teacher tutor editor coach doctor dentist sister brother mother "
    "father mum mom dad wife husband son daughter flatmate roommate neighbour neighbor colleague client "
    "customer friend ex girlfriend boyfriend aunt uncle cousin grandma grandpa grandmother grandfather "
    "recruiter trainer plumber lawyer director professor supplier school gym council company bank HR "
    "chair nephew niece guide guru author",
    "working on": "translate summarise summarize summary gist rewrite rephrase proofread shorten correct polish "
    "improve grammar tone typos spelling explain analyse analyze review critique grade extract reply answer "
    "respond decline draft checklist points bullets title caption commas compare continue identify "
    "classify transcribe format",
    "wondering": "normal legal fair weird strange odd funny rude harsh strict scam phishing genuine real fake fishy "
    "suspicious true serious sense mean means opinion thoughts think believe overreacting wonder puzzled "
    "confused allowed sound sounds make trust safe attack spam dodgy legit joking kidding ok okay",
    "assistant": "answer answers reply replies respond response responses message messages emoji emojis bullet bullets "
    "table tables list lists explanation explanations summary summaries paragraph paragraphs sentence "
    "sentences words recipe recipes code plan plans reminder reminders suggestion suggestions recommend "
    "suggest translate translation question questions quiz correct hint hints draft tone style format "
    "formatting headings markdown greeting greet disclaimer disclaimers apologise apologize jokes "
    "calendar appointment appointments units metric celsius spelling english examples example options "
    "source sources links link chat chats conversation conversations",
    "machine": "assistant assistants ai bot bots chatbot chatbots llm model models agent agents system prompt "
    "instruction instructions memory mode override admin developer session sessions user user's human "
    "token",
    "money": "payment payments pay account iban transfer transfers invoice invoices bank refund refunds gift card "
    "cards fee fees wallet amount amounts euros dollars cash wire discount price prices purchase tax "
    "crypto bitcoin",
    "secret": "password passwords pin code codes login token key keys credentials secret confidential private "
    "verify security authentication session cookie card ssn id",
    "hiding": "nobody anyone anybody mention tell show hide secretly quietly confidential inform reveal disclose "
    "notice silently hidden without asking confirm confirmation approval review",
    "praise": "best finest award trusted leading premium guaranteed exclusive free offer recommend partner brand "
    "award-winning cheapest safest favourite top discount subscribe join visit shop buy order deals",
    "place": "door gate room building stairs hall kitchen bin bins shoes towel towels bike bikes dog dogs lift "
    "elevator exit floor badge desk car park garden pool water alarm whistle bell window gloves bottle "
    "phone phones noise queue",
    "greeting": "dear hi hello hey regards sincerely yours cheers team everyone colleagues best kisses love morning",
    "hence": "always never future forward henceforth whenever every each default anymore permanently standing again",
    "own life": "i'm dyslexic diabetic allergic vegan vegetarian blind deaf migraine headache phone screen watch eyes "
    "adhd nurse teacher student beginner learning budget kids daughter son knee back night shift commute",
    "conjecture": "suppose imagine pretend assume if would could hypothetically what-if say wondering whether somebody "
    "someone anyone example e.g instance",
}


def _by_word() -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for name, words in _CLASSES.items():
        for word in words.lower().split():
            found[word] = found.get(word, frozenset()) | {f"@{name}"}
    return found


CLASSES: Final = _by_word()
"""The classes of a word in lower case."""
