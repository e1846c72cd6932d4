"""The author's own words in a message: not from memory, and neither quoted, pasted nor forwarded. Pure.

What somebody passes on to be summarised, translated or judged asserts and instructs nothing, whoever reads it. It is
told by its marks (`ragpp_services.workers.authorship.marks`: quotation marks, fences, headers, roles, letters) and by
the sentence that hands it over; what comes after such a sentence is taken for the text, to the end: nothing in it can
give the word back to the author.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ragpp.context.echo import masked
from ragpp.models import Interaction
from ragpp.text.spans import Span, blanked, merged
from ragpp_services.workers.authorship.marks.blocks import cited, fenced, printed, ruled_off
from ragpp_services.workers.authorship.marks.elements import elements, link_texts
from ragpp_services.workers.authorship.marks.headers import headed
from ragpp_services.workers.authorship.marks.letters import letters
from ragpp_services.workers.authorship.marks.quotations import quotations
from ragpp_services.workers.authorship.marks.sight import Seen, seen

_FLAGS: Final = re.IGNORECASE | re.MULTILINE
_TEXT: Final = (
    r"(?:e-?mails?|mails?|messages?|letters?|notes?|texts?|sms|posts?|articles?|paragraphs?|passages?|"
    r"sentences?|lines?|"
    r"reviews?|contracts?|transcripts?|minutes|tickets?|reports?|documents?|docs?|pages?|threads?|chats?|"
    r"conversations?|"
    r"comments?|quotes?|quotations?|excerpts?|extracts?|snippets?|chapters?|poems?|lyrics|songs?|stor(?:y|"
    r"ies)|scenes?|"
    r"drafts?|essays?|abstracts?|summar(?:y|ies)|descriptions?|ads?|adverts?|listings?|flyers?|leaflets?|brochures?|"
    r"notices?|signs?|posters?|memos?|announcements?|newsletters?|blogs?|tweets?|captions?|bios?|profiles?|cvs?|"
    r"résumés?|resumes?|"
    r"cover letters?|applications?|readme\w*|changelogs?|manuals?|guides?|instructions?|polic(?:y|ies)|"
    r"terms|clauses?|agreements?|leases?|recipes?|menus?|prompts?|outputs?|logs?|code|scripts?|functions?|configs?|"
    r"files?|json|yaml|html|"
    r"speech(?:es)?|toasts?|dialogues?|subtitles?|recordings?|voicemails?|feedback|responses?|repl(?:y|ies)|answers?|"
    r"questions?|exercises?|homework|assignments?|translations?|versions?|wording|things?|stuff|bits?|parts?)"
)
_ABOVE: Final = re.compile(
    rf"\b(?:{_TEXT} above|above {_TEXT}|the above)\b[^.!?\n]{{0,80}}|^[ \t]*tl;?dr\b[^\n]{{0,20}}$", _FLAGS
)
_REWORKS: Final = (
    r"(?:summari[sz]e|sum up|condense|translate|proof-?read|rewrite|re-write|rephrase|reword|paraphrase|edit|polish|"
    r"shorten|simplify|correct|improve|tidy(?: up)?|clean up|tighten|review|check(?! out)|analy[sz]e|"
    r"explain|interpret|"
    r"grade|classify|categori[sz]e|extract|convert|turn|transcribe|decode|decipher|read|look (?:at|over|through)|go "
    r"(?:over|through)|comment on|answer|reply to|respond to|fix|format|reformat|adapt|critique|annotate|locali[sz]e|"
    r"(?:draft|write) (?:a |an )?(?:\w+ )?(?:answer|reply|response) to|(?:a|the) (?:summary|translation|"
    r"synopsis|gist) of)"
)
"""The things that are done to a text that somebody hands over."""
_TEXT_OF: Final = rf"(?:the|my|our|his|her|their|your|a|an|some|\w{{1,30}}'s)(?: [\w'-]{{1,40}}){{0,4}}? {_TEXT}"
_GIVEN: Final = (
    rf"(?:th(?:is|ese)(?: [\w'-]{{1,40}}){{0,3}}? {_TEXT}|th(?:is|ese)(?= ?(?:[,;:?!.(]|$|(?:for|into|to|in|as|"
    rf"and|please|pls|"
    rf"from|down|up|so|by|with|is|are|was|were|sounds?|reads?|means?|says?|more|less|better|a bit)\b))|"
    r"the following|the (?:[\w-]{1,40} )?(?:below|attached|pasted|quoted)|"
    r"what (?:[\w']{1,40} ){1,3}(?:wrote|said|sent|posted)|below)"
)
_HANDS_OVER: Final = re.compile(
    rf"(?<!\bI )(?<!\bi )(?<!\bwe )(?<!\bhe )(?<!\bshe )(?<!\bthey )"
    rf"(?<!'ve )(?<!have )(?<!just )(?<!already )\b{_REWORKS}\b[^.!?\n]{{0,60}}?\b(?:{_GIVEN}|{_TEXT_OF})\b|"
    rf"^(?:(?:please|pls|plz|hey|hi|ok(?:ay)?|so|and|now|can you|could you|would you|will you)[, ]+)*"
    rf"(?:summari[sz]e|translate|proof-?read|rewrite|rephrase|reword|paraphrase|transcribe|tl;?dr)\b|"
    rf"\bmake (?:it|this|that|these|{_TEXT_OF}) (?:sound|read|look|more|less|shorter|longer|clearer|nicer|\w+er)\b|"
    rf"\bput (?:it|this|{_TEXT_OF}) in(?:to)? (?:(?:plain|simple|other|better|nicer|proper|"
    rf"\w+er) )?(?:words|\w*(?:ish|ese|ian|ench|erman))\b|"
    rf"\bhere(?:'s| is| are|'re| comes?| goes) (?:it\b|{_GIVEN}|{_TEXT_OF}|what\b)|"
    rf"\b(?:pasted|copied|quoted|pasting|copying|quoting|forwarding|forwarded)\b[^.!?\n]{{0,40}}\b(?:below|"
    rf"here|from)\b|\blike this[ \t]*$|\bthese are from\b|"
    rf"\b(?:got|received|found) (?:th(?:is|ese) (?:{_TEXT}|from|in|on)|the following|(?:an?|the) {_TEXT})\b",
    re.IGNORECASE,
)
"""Whatever comes after it in the message is the text."""
_MIMICKED: Final = re.compile(
    r"\b(?:goes|going|went|(?<!it )(?<!that )(?:is|was|are|were|keeps being) (?:all |just |always |constantly )?like|"
    r"'s (?:all |always |constantly )like),? (?P<said>(?:i|i'm|i'd|i've|my|me)\b[^.!?\n]*)",
    re.IGNORECASE,
)
"""Somebody's saying, in their own first person: "she was like I hate mornings"."""
_NAMES_TEXT: Final = re.compile(rf"\b(?:{_GIVEN}|{_TEXT_OF}|here)\b", re.IGNORECASE)
_TELLS_OF_TEXT: Final = re.compile(
    r"\b(?:(?:found|got|copied|took|saw|read|have|fix|do|change|use) it|"
    r"sent|wrote|gave|handed|texted|e-?mailed|forwarded|messaged|told|left|says?|said|reads?|goes|writes|"
    r"sings?|shouts?|replied|answered|asked|posted|example|e\.g|imagine|suppose|"
    r"pretend)\b[^.!?:\n]{0,60}[:?]?$|\blike$",
    re.IGNORECASE,
)
"""Whatever comes after either is the text if it begins in a paragraph of its own, or behind a colon or question."""
_VAGUE: Final = re.compile(r"(?<!this )(?<!these )\b(?:things?|stuff|bits?|parts?)$", re.IGNORECASE)
"""Words that only seem to name a text."""
_OWN_HEAD: Final = re.compile(
    r"^(?:(?:and|so|but|also) )?(?:regarding|concerning|as (?:to|for)|about|for|with|on)\b|"
    r"\babout (?:me|myself|us)\b|\b(?:of|on|for) you(?:rs?)?\b|\b(?:in mind|your memory)\b|"
    r"\bwhat (?:i|we) (?:want|expect|need|like|wish)\b",
    re.IGNORECASE,
)
"""Above what a user says of themselves, or to the assistant, or of a matter."""
_LEADS_OVER: Final = re.compile(
    rf"\b(?:{_GIVEN}|here|says?|said|reads?|goes|wrote|writes|sings?|replied|posted|texted)$", re.IGNORECASE
)
_ASKS: Final = re.compile(r"(?:what|which|who|whose|where|when|why|how|is|are|does|do|did|should|any)\b", re.IGNORECASE)
_REQUESTS: Final = re.compile(
    rf"(?:(?:please|pls|plz|hey|hi|hello|ok(?:ay)?|so|and|now|then|also|thanks|can you|could you|would you|"
    rf"will you|help "
    rf"me(?: to)?|i need you to|i'd like you to|let's)[, ]+)*(?:{_REWORKS}|write|continue|finish|use|tell|"
    rf"give|show|make|put|"
    rf"find|list|count|compare|rate|guess|help|say|draft|compose|pick|choose|create|generate|play|act|add|"
    rf"remove|replace)\b|"
    rf"(?:can|could|would|will) you\b",
    re.IGNORECASE,
)
_STANDING: Final = re.compile(
    r"^(?:\w+ )?rules? (?:for|of)\b|\b(?:always|never|don't ever|do not ever|i (?:prefer|like|love|hate|want you))\b|"
    r"^(?:please )?(?:remember|note|save|store|know|add)\b|^(?:for the record|fyi)\b|\bwant you to know\b|"
    r"(?P<hence>^(?:(?:and|so|but|also) )?(?:if|when(?:ever)?)\b|\b(?:everything|anything|whatever) (?:i|we)\b|"
    r"\b(?:from now on|when(?:ever)? (?:i|we|you)|if (?:i|we)|every ?time|each time|any ?time|in (?:the )?future|"
    r"going forward|by default|"
    r"as a rule|from here on)\b)",
    re.IGNORECASE,
)
"""A sentence with it is itself what is wanted. `hence`: also where it comes last."""
_HIJACKS: Final = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,30}\b(?:previous|prior|above|earlier|preceding|existing|"
    r"system|all|any|your|other|these|those)\b[^.!?\n]{0,30}\b(?:instructions?|rules|prompts?|guidelines|directives|"
    r"messages|context)\b|\bsystem (?:prompt|message|override|instruction)|\byou are now\b|\bnew instructions?\b|"
    r"\b(?:ais?|assistants?|llms?|models?|bots?|agents?|chatbots?) (?:reading|processing|that reads?|who reads?)\b|"
    r"\b(?:note|message|attention|instructions?|memo|reminder) (?:to|for) (?:the |any |all )?(?:\w{1,20} )?(?:ai|ais|"
    r"assistants?|llms?|models?|bots?|agents?|chatbots?)\b|\b(?:ai|llm|language model|automated|virtual) "
    r"(?:assistants?|agents?|systems?|models?|readers?|tools?)\b[^.!?\n]{0,60}\b(?:must|should|shall|will|are|reading|"
    r"processing|need)\b|\b(?:tell|show|inform|ask|warn|let|give|remind|convince|obey|from|to) the (?:user|human|"
    r"reader|recipient)\b|\bthe (?:user|human|reader|recipient) (?:must|should|shall|will|wants?|has|is|"
    r"prefers?|likes?)\b",
    re.IGNORECASE,
)
"""It speaks to whatever machine reads it."""
_OF_ONESELF: Final = re.compile(r"\s*(?:i|i'm|i've|we|we're|my|our)\b", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"(?:[^.!?\n]++|[.!?]++(?![\s\"')\]”]|\Z))*+(?:[.!?]++|\n|\Z)")
_COLON: Final = re.compile(r":(?!\d)")
_LETTER: Final = re.compile(r"[^\W_]")


def foreign(text: str) -> list[Span]:
    """The stretches of `text` that are somebody else's: quoted, pasted or forwarded; in order, without overlap. Linear
    in the length of `text` but for sentences, whose patterns are bounded."""
    as_seen = seen(text)
    spans = merged(_marked(as_seen.text))
    handed = _handed_over(blanked(as_seen.text, spans), as_seen.text)
    if handed is not None:
        spans.append(Span(handed, len(as_seen.text)))
    return _typed(as_seen, spans)


def marked(text: str) -> list[Span]:
    """Those stretches that marks tell, without what a sentence hands over."""
    as_seen = seen(text)
    return _typed(as_seen, _marked(as_seen.text))


def own_text(item: Interaction) -> str:
    """The message's content at its length, with what came from memory blanked and, where a person wrote it, what is
    somebody else's: what is left its author says now. What assistants pass on is their answer."""
    text = masked(item.content)
    return blanked(text, foreign(text)) if item.role == "user" else text


def own_words(items: Sequence[Interaction]) -> list[Interaction]:
    """The messages with what in them is their authors' own, in order; none of which nothing is left."""
    return [item.model_copy(update={"content": text}) for item in items if (text := own_text(item).strip())]


def _typed(as_seen: Seen, spans: Iterable[Span]) -> list[Span]:
    return merged(span for span in as_seen.typed(spans) if span.end > span.start)


def _marked(text: str) -> Iterator[Span]:
    """The stretches that marks tell. Quotation marks count outside of what stands by itself, which has its own; an
    element that is not closed may be within a quotation that is."""
    apart = list(fenced(text))
    tagged = list(elements(blanked(text, merged(apart))))
    yield from tagged
    apart += (span for span in tagged if span.end < len(text))
    apart += cited(blanked(text, merged(apart)))
    yield from apart
    rest = blanked(text, merged(apart))
    for found in (quotations(rest), link_texts(rest), printed(text), ruled_off(text), headed(text), letters(text)):
        yield from found
    for match in _ABOVE.finditer(text):
        yield Span(0, match.end())
    for match in _MIMICKED.finditer(text):
        yield Span(match.start("said"), match.end())


def _handed_over(text: str, whole: str) -> int | None:
    """Where the sentence of `text` begins that hands something over which comes behind it in `whole`, or the paragraph
    that speaks to whatever machine reads it: what is asked about a text says no more than what is in it."""
    for match in _SENTENCE.finditer(text):
        sentence = match.group()
        if _HIJACKS.search(sentence) and not _OF_ONESELF.match(sentence):
            return max(0, text.rfind("\n\n", 0, match.start()))
        said, *behind = _COLON.split(sentence, maxsplit=1)
        said = said.rstrip(" \t\n.!")
        handing = _HANDS_OVER.search(said)
        if handing is None and (behind or _ends_line(text, match.end(), said)):
            handing = _TELLS_OF_TEXT.search(said) or _named_text(said)
        if (
            handing is not None
            and not _is_standing(said, handing.start())
            and _LETTER.search(whole, match.start() + len(said))
        ):
            return match.start()
    return None


def _named_text(said: str) -> re.Match[str] | None:
    """Where a text is named, to come next."""
    named = _NAMES_TEXT.search(said)
    return None if named is None or _VAGUE.search(named.group()) or _OWN_HEAD.search(said) else named


def _ends_line(text: str, end: int, said: str) -> bool:
    """True where the line or, of a sentence that requests something, the paragraph ends behind a sentence that ends
    there: where it asks, with no more than a remark between."""
    behind = text[max(0, end - 1) : end + 200]
    if said.endswith("?") or _ASKS.match(said):
        return re.match(r".?[^\n]{0,40}\n", behind, re.DOTALL) is not None
    if _LEADS_OVER.search(said):
        return re.match(r".?[ \t]*\n", behind, re.DOTALL) is not None
    return _REQUESTS.match(said) is not None and re.match(r".?[ \t]*\n[ \t]*\n", behind, re.DOTALL) is not None


def _is_standing(said: str, handing_at: int) -> bool:
    """True where a sentence says what is wanted of all texts, and hands none over."""
    return any(found["hence"] or found.start() <= handing_at for found in _STANDING.finditer(said))
