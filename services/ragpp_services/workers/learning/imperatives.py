"""The grammar of telling an assistant what to do: one sentence, or the clause of it that asks. Pure.

An imperative is told by where it stands, not by its verb: at the beginning of a clause, behind what makes it polite,
and not with a subject.
"""

import re
from typing import Final, Literal, NamedTuple, cast

from ragpp.text.sentences import Sentence
from ragpp_services.workers.learning.texts import content_stems

Standing = Literal["standing", "repeated", "once"]


class Imperative(NamedTuple):
    """A sentence's request: `does` as an imperative, in the situation `trigger` or, where it is empty, in any."""

    does: str
    trigger: str
    refuses: bool
    standing: Standing


_DO: Final = (
    "answer|reply|respond|use|write|show|give|call|address|explain|summari[sz]e|format|include|send|remind|translate|"
    "speak|list|cite|ask|tell|confirm|add|put|keep|make|start|begin|end|check|mention|suggest|recommend|repeat|"
    "apologi[sz]e|interrupt|assume|skip|leave out|avoid|stick to|run|save|round|quote|link|sign|draft|talk|say|be|"
    "schedule|book|order"
)
"""The things that assistants are told to do for the moment, so that it may be said again."""
_FLAGS: Final = re.IGNORECASE
_AGAIN: Final = re.compile(
    r"^(?:(?:once )?again[,:]|like i said[,:]?|as i (?:said|told you|mentioned)(?: before| already)?[,:]?|"
    r"i(?:'ve| have)? (?:already )?(?:told|asked) you (?:before |already |again )?(?:to |not to |that )?|"
    r"how (?:many times|often) (?:do|must) i [^,:]{0,40}[,:]?|i said[,:]?) *(?P<rest>.+)$",
    _FLAGS,
)
_MARK: Final = r"[-*•] +|\d{1,2}[.)] +"
_LEAD_IN: Final = re.compile(
    rf"^(?:{_MARK}|(?:and|but|so|also|ok(?:ay)?|hey|plus|then|just|btw|by the way|actually|"
    r"please remember|"
    r"remember|keep in mind|please note|do me a favou?r and|let's agree)[,:;.!]* +(?:that +(?!(?:is|was|"
    r"one)\b))?(?=\w)|(?:yes|no|thanks|thank you|great|good|hi|hello|sorry|well|oh|hmm|now|look|listen|fyi|p\.?s\.?|"
    r"reminder|quick note|note|one more thing(?: though)?|another thing|for the record|"
    r"(?:a |one |my |another |new |house |basic )?(?:rules?|request|wish|favou?r)(?: (?:for|"
    r"of) [^:,]{1,40})?)[,:;.!]+ *)",
    _FLAGS,
)
"""The words that may come before the instruction itself; as often as they do."""
_LIST_MARK: Final = re.compile(rf"^(?:{_MARK})")
_POLITE: Final = re.compile(r"^(?:please|pls|plz|kindly)[, ]+", _FLAGS)
_POLITE_LAST: Final = re.compile(r",? (?:please|pls|plz|thanks|thank you|thx|okay|ok)$", _FLAGS)
_HENCE: Final = re.compile(
    r",? ?\b(?:from (?:now|here|today|this point) on(?:wards?)?|as of (?:now|today)|(?:also )?in (?:the )?future|"
    r"(?:also )?(?:for|in|with|on) (?:this and )?(?:(?:for|in|with|on) )?(?:(?:all|any|every) )?future \w+|"
    r"going forwards?|by default|as a (?:general )?rule|at all times|(?:for|in) (?:all|any|every|"
    r"each)(?: of)?(?: (?:my|our|"
    r"your|the))?(?: future)? (?:chats?|conversations?|answers?|repl(?:y|ies)|responses?|messages?|texts?|"
    r"cases?|times?)|(?:today|now) and (?:always|in future)|for good|permanently|all the time|"
    r"(?:every (?:single )?|each )time(?! (?:i|we|you|it|there|the|a|my)\b)|"
    r"not now and not later|until i (?:say|tell you) (?:otherwise|so|more)|next time|when (?:talking|"
    r"writing|replying) to me|"
    r"any ?more|always(?=$)|ever(?=$))\b,?:?",
    _FLAGS,
)
_TRIGGER: Final = re.compile(
    r"^(?P<trigger>(?:when(?:ever)?|every ?time|each time|any ?time|if|as soon as|before|after|once|unless|until) "
    r"(?:i|i'm|i've|we|we're|you|you're|it|it's|there|there's|the|a|an|my|our|someone|something|somebody|"
    r"anyone|anything|"
    r"he|she|they)\b[^,:;]{2,90}|(?:for|in|on|with|at|to) (?:every|each|all|any|everything|anything)\b[^,:;]{2,60})"
    r"[,:;] *(?:then +|and +)?(?P<rest>.{3,})$",
    _FLAGS,
)
_TRIGGER_LAST: Final = re.compile(
    r"^(?P<rest>.+?),? (?P<trigger>(?:when(?:ever)?|every ?time|each time|any ?time|before|unless|if|until) "
    r"(?:i|i'm|we|you|it's|there's)\b[^,]{2,80})$",
    _FLAGS,
)
_BEHIND: Final = re.compile(
    r": +|,? so +(?=\w)|^(?:and |but |also )?(?:in|on|at|for|with|after|before|during) [\w ]{2,30}, +"
    r"(?=(?:please|always|never)\b)",
    _FLAGS,
)
"""Behind what an instruction may begin, in the midst of a sentence."""
_REASON: Final = re.compile(
    r"(?:, (?:(?:because|since|as|for) )?(?:it|it's|i|i'm|i've|we|we're|my|our|that|that's|this|they|he|"
    r"she|otherwise)\b|"
    r" (?:because|since) )[^:]*$",
    _FLAGS,
)
"""Why, behind what."""
_RULED: Final = re.compile(
    r"^(?:(?:and|so|but|also|then) )?(?:a |one |my |another |new |house |basic )?rules?\b[^:]{0,40}:", _FLAGS
)
_SURE_OF_ALL: Final = re.compile(
    r"^(?:please )?(?:make sure|be sure|see to it|take care)(?: that)? (?P<all>(?:every|each|all|any)\b.+)$", _FLAGS
)
_STATES: Final = re.compile(
    r"^(?:[\w'-]+,? ){1,5}?(?<!\bwhat )(?<!\bwhich )(?<!\bthat )(?<!\bwho )"
    r"(?:is|are|was|were|isn't|aren't|wasn't|weren't|has|had|hasn't|will|won't|would|can|can't|"
    r"did|does|doesn't)\b|^\w+ \w+s (?:me|us|him|her|them|you|it|my|our|in|at|on|to)\b",
    _FLAGS,
)
"""A clause that has a subject of its own: it says what is so."""
_BARE_TRIGGER: Final = re.compile(r"^(?:when(?:ever)?|every ?time|each time|any ?time|if) ", _FLAGS)
_FRAME: Final = re.compile(
    r"^(?:(?:can|could|will) you(?: please| kindly| just| maybe)?|would you (?:please|kindly|mind)|"
    r"(?:i'd|i would|i)(?: really| very much)? (?:like|love|prefer|want|need|expect|ask|"
    r"wish)(?: it)?(?: for)? you to|"
    r"you(?:'re| are)? (?:should|must|have to|need to|are to|may|can|could|might want to)|you'd better|"
    r"(?:please )?(?:make sure|be sure|see to it|take care|try|remember|aim|feel free)(?: (?:that )?you|"
    r" that| to)|let's)"
    r"(?: please)? (?=\w)",
    _FLAGS,
)
_IF_YOU: Final = re.compile(
    r"^(?:it(?:'d| would) be (?:really |so |very )?\w+|(?:i'd|i would)(?: really|"
    r" very much)? (?:appreciate it|be \w+|like it|"
    r"love it|prefer it)) if you(?: could| would)? (?P<always>always )?(?P<verb>\w+) (?P<rest>.+)$",
    _FLAGS,
)
_NEEDLESS: Final = re.compile(
    r"^(?:you (?:don't|do not) (?:have|need) to|you needn't|(?:there is |there's )?no need to) (?P<do>.+)$", _FLAGS
)
_ALL_OF_THEM: Final = re.compile(
    r"^(?P<all>(?:every|each|all|any)\b(?:(?!\b(?:i|we|he|she|they)\b)[^,]){2,60}?) "
    r"(?:must|should|has to|have to|needs? to|ought to) (?P<rest>.+)$",
    _FLAGS,
)
_ALWAYS: Final = re.compile(r"^always,? +(?:please +)?(?P<do>.+)$", _FLAGS)
_NEVER: Final = re.compile(r"^(?:never(?: ever)?|(?:don't|do not) ever),? +(?P<do>.+)$", _FLAGS)
_DONT: Final = re.compile(r"^(?:(?:do not|don't|not to) |stop |quit |no (?=\w+ing\b))(?P<do>.+)$", _FLAGS)
_NO_MORE: Final = re.compile(
    r"^(?P<no>no(?: more)?|without|skip|drop|enough with)(?: more)? (?:the |any |"
    r"all the )?(?P<what>(?!\w+ing\b)[a-z][\w' -]{2,80})$",
    _FLAGS,
)
_PLAIN: Final = re.compile(rf"^(?P<do>(?:{_DO})\b.*)$", _FLAGS)
_SUBJECTS: Final = re.compile(
    r"^(?:i|i'm|i've|i'd|i'll|we|we're|we've|we'd|he|he's|she|she's|it|it's|they|they're|you|you're|"
    r"you've|there|there's|"
    r"the|a|an|my|our|your|his|her|their|its|this|that|that's|these|those|who|what|what's|which|where|how|"
    r"why|when|because|"
    r"since|as|than|not|to|is|are|was|were|am|has|have|had|did|does|maybe|perhaps|everyone|everybody|"
    r"someone|nobody|people|"
    r"some|most|many|both|neither|either|mine|yours|of|at|by|from|if|yes|yet|still|very|really|so|"
    r"too|been|will|would|"
    r"can|could|should|must|may|might|shall|without|however|therefore|instead|thus|whereas|although|though|\d)\b",
    _FLAGS,
)
"""With what no imperative begins."""
_PAST: Final = {
    "used": "use", "kept": "keep", "wrote": "write", "gave": "give", "made": "make", "put": "put", "left": "leave",
    "told": "tell", "said": "say", "began": "begin", "sent": "send", "spoke": "speak", "let": "let", "did": "do",
    "cut": "cut", "showed": "show", "stuck": "stick", "took": "take", "were": "be", "started": "start", "ended": "end",
    "added": "add", "called": "call", "asked": "ask", "stopped": "stop", "checked": "check", "answered": "answer",
}  # fmt: skip


def read_sentence(sentence: Sentence, *, stands: bool) -> Imperative | None:
    """The instruction of a sentence: of the whole of it, or of what comes behind its reason ("…, so", "…:"). `stands`:
    what is around it says that it is a rule."""
    whole = _LIST_MARK.sub("", sentence.text.rstrip(".!…?:) "))
    starts = [0, *(match.end() for match in _BEHIND.finditer(whole))]
    for start in starts:
        read = _read_clause(whole[start:], asks=sentence.asks, standing="standing" if stands else "once")
        if read is not None and (start == 0 or read.standing != "once"):
            return read
    return None


def as_said(text: str) -> str:
    """A sentence that is not in the grammar, without its mark in a list, its politeness and its reason."""
    whole = text.strip().rstrip(".!…:) ")
    return _bare(_REASON.sub("", _bare(whole))) or whole


def _read_clause(said: str, *, asks: bool, standing: Standing) -> Imperative | None:
    again = _AGAIN.match(said)
    if again:
        said, standing = again["rest"], "repeated"
    if _RULED.match(said):
        standing = "standing"
    said = _bare(said)
    if _TRIGGER.match(said) is None:
        said = _REASON.sub("", said)
    if asks and _FRAME.match(said) is None:
        return None
    trigger = ""
    while _IF_YOU.match(said) is None:
        hence = _HENCE.search(said)
        if hence is not None:
            standing = "standing"
            if hence.start() == 0 or hence.end() == len(said):
                said = _bare(f"{said[: hence.start()]}{said[hence.end() :]}".strip(" ,"))
                continue
        when = None if trigger else _TRIGGER.match(said) or _TRIGGER_LAST.match(said)
        if when is None:
            break
        said, trigger, standing = _bare(when["rest"]), _situation(when["trigger"]), "standing"
    read = _behaviour(_bare(_REASON.sub("", said)), standing)
    if read is None or (asks and read.standing == "once"):
        return None
    return read._replace(trigger=trigger)


def _situation(trigger: str) -> str:
    """A situation without the word that makes it one: "when I ask for code" → "I ask for code"."""
    return _BARE_TRIGGER.sub("", trigger).strip()


def _bare(said: str) -> str:
    """A clause without what is polite about it, or leads to it."""
    while True:
        shorter = _POLITE_LAST.sub("", _POLITE.sub("", _LEAD_IN.sub("", said.strip(" ,;–—-"), count=1), count=1))
        if shorter == said or not shorter:
            return said
        said = shorter


def _behaviour(said: str, standing: Standing) -> Imperative | None:
    """The behaviour that a clause asks for."""
    if wished := _IF_YOU.match(said):
        verb = _PAST.get(wished["verb"].lower(), wished["verb"])
        return Imperative(f"{verb} {wished['rest']}", "", refuses=False, standing="standing")
    if every := _ALL_OF_THEM.match(said):
        return Imperative(f"let {every['all'].lower()} {every['rest']}", "", refuses=False, standing="standing")
    if sure := _SURE_OF_ALL.match(said):
        return Imperative(f"make sure that {sure['all']}", "", refuses=False, standing="standing")
    if needless := _NEEDLESS.match(said):
        return _imperative(needless["do"], refuses=True, standing=standing) if standing != "once" else None
    return _asked(_POLITE.sub("", _FRAME.sub("", said, count=1), count=1), standing)


def _asked(said: str, standing: Standing) -> Imperative | None:
    """The behaviour that an imperative asks for or refuses."""
    for pattern, refuses, lasting in (
        (_ALWAYS, False, "standing"),
        (_NEVER, True, "standing"),
        (_DONT, True, standing),
    ):
        if found := pattern.match(said):
            return _imperative(found["do"], refuses=refuses, standing=cast("Standing", lasting))
    unwanted = _NO_MORE.match(said)
    if unwanted and content_stems(unwanted["what"]):
        return Imperative(f"use {unwanted['what'].strip()}", "", refuses=True, standing=standing)
    # an order for the moment is no rule, however often a user says "show me …": that is a pattern
    if standing != "once" and (content_stems(said) or " " in said):
        return _imperative(said, refuses=False, standing=standing)
    return None


def _imperative(does: str, *, refuses: bool, standing: Standing) -> Imperative | None:
    """`does` where it is an imperative; one for the moment only of what assistants are told to do."""
    does = does.strip(" ,")
    first = does.split(maxsplit=1)[0] if does else ""
    if not any(map(str.isalpha, first)) or _SUBJECTS.match(does):
        return None
    plain = _PLAIN.match(does) is not None
    if not plain and ((standing == "once" and not first.endswith("ing")) or _STATES.match(does)):
        return None
    return Imperative(does, "", refuses=refuses, standing=standing)
