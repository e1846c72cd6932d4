"""Removes secrets from a text before any store, event or log sees it.

A secret is replaced by `[REDACTED:<kind>]` together with the whole word it stands in. Text around it is kept byte for
byte, and a text without secrets comes back unchanged. Redacting twice changes nothing more: what is already replaced
divides the text, each part is read by itself, and because a removed span never ends inside a word, a part looks the
same alone as it did in its place.

Time is linear in the text: every repetition in a pattern is bounded, possessive, or starts at a rare marker.
Personal data is kept; card numbers count as secrets.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from ragpp.payment_cards import card_numbers


@dataclass(frozen=True, slots=True)
class Redacted:
    """`text` without its secrets, `count` of the replacements made, and their `kinds` in order, without repeats."""

    text: str
    count: int
    kinds: tuple[str, ...]


class Redactor(Protocol):
    """Pure and idempotent: `redact(redact(text).text)` changes nothing and counts 0."""

    def redact(self, text: str) -> Redacted:
        """`text` with every secret replaced."""
        ...


@dataclass(frozen=True, slots=True)
class Span:
    """A secret at `start` to `end` of the text that was searched."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Finder:
    """`find`: the secrets of one kind in a text, left to right; must be linear.

    A text is not searched that is shorter than `least`, or has none of the `marks`, in lower case, where there are any:
    most texts of metadata are neither long enough nor have one, and eleven searches cost thirty times as much as that.
    """

    find: Callable[[str], Iterator[Span]]
    least: int = 0
    marks: tuple[str, ...] = ()


_FOLDED: Final = ("\u0131", "\u0130", "\u017f")
"""Letters that a search without regard to case takes for ASCII ones, and lower case does not: a dotless i, a dotted I,
a long s."""
_PLACEHOLDER: Final = re.compile(r"(\[REDACTED:[a-z_]{1,40}\])")


def is_redacted(text: str) -> bool:
    """True where anything was taken out of `text`."""
    return _PLACEHOLDER.search(text) is not None


_WORD: Final = re.compile(r"[A-Za-z0-9_-]")
_WORD_START: Final = r"(?<![A-Za-z0-9-])"
"""The beginning of a token: behind `_` as well, since ids and variables join words by it, as in `mem_sk-…`."""

_TOKENS: Final = re.compile(
    r"(?P<github_token>gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255})"
    r"|(?P<gitlab_token>glpat-[A-Za-z0-9_-]{20,255})"
    r"|(?P<slack_token>xox[abeoprs]-[A-Za-z0-9-]{10,255}|xapp-\d-[A-Za-z0-9-]{10,255})"
    r"|(?P<aws_access_key>(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})"
    rf"|(?P<anthropic_key>{_WORD_START}sk-ant-[A-Za-z0-9_-]{{16,255}})"
    r"|(?P<stripe_key>(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9]{24,255})"
    rf"|(?P<openai_key>{_WORD_START}sk-(?:proj-|svcacct-|admin-|or-v1-)?(?=[A-Za-z_-]{{0,60}}[0-9])[A-Za-z0-9_-]{{20,255}})"
    r"|(?P<google_api_key>AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,255}|ya29\.[A-Za-z0-9_-]{20,255})"
    r"|(?P<sendgrid_key>SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128})"
    rf"|(?P<twilio_key>{_WORD_START}(?:SK|AC)[0-9a-f]{{32}})"
    rf"|(?P<huggingface_token>{_WORD_START}hf_[A-Za-z0-9]{{30,255}})"
    r"|(?P<digitalocean_token>do[opr]_v1_[a-f0-9]{64})"
    r"|(?P<shopify_token>shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32})"
    rf"|(?P<telegram_token>{_WORD_START}\d{{8,10}}:AA[A-Za-z0-9_-]{{33}})"
    rf"|(?P<ragpp_key>{_WORD_START}rp_[0-9a-f]{{12}}_[A-Za-z0-9_-]{{20,255}})"
    rf"|(?P<jwt>{_WORD_START}eyJ[A-Za-z0-9_-]{{8,8000}}\.eyJ[A-Za-z0-9_-]{{4,8000}}(?:\.[A-Za-z0-9_-]{{0,8000}})?)"
)
"""Tokens that their issuer marks by a prefix; the forms are the issuers' published ones."""

_BEARER: Final = re.compile(
    r"\b(?:bearer\s{1,5}(?=[A-Za-z._~+/=-]{0,80}\d)|(?:proxy-)?authorization\\?[\"']?\s{0,5}[:=]\s{0,5}\\?[\"']?"
    r"(?:basic|token|digest|apikey)\s{1,5})(?P<secret>[A-Za-z0-9._~+/=-]{8,8000})",
    re.IGNORECASE,
)
_CREDENTIALS_IN_URL: Final = re.compile(r"://(?P<secret>[^\s:/@\"'<>\[\]]{0,64}:[^\s/\"'<>\[\]]{1,256})@")
_SLACK_HOOK: Final = re.compile(r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/_-]{20,255})")

_VALUE: Final = (  # in quotation marks that close, else one word without the punctuation behind it
    r"(?P<quote>\\?[\"'`])?(?P<secret>(?(quote)(?:[^\"'`\n\\]{1,512}(?=\\?[\"'`])|[^\s\"'`]{0,511}[^\s\"'`.,;:!?)}\\])|"
    r"[^\s\"'`]{0,511}[^\s\"'`.,;:!?)}\\]))"
)
_EQUALS: Final = (  # behind it, program text that computes or declares a secret is none
    r"\\?[\"']?\s{0,5}(?:=>|:=|=|:)(?!=)\s{0,5}+(?![A-Za-z_$][\w$.]{0,80}(?:\(|\[[\"'\w])|[<{$%]|"
    r"(?:process|os|self|this|req|request|data|config|settings|env|user|form|args|params|body|options|props|app|db)\.|"
    r"(?:str|string|text|bytes|none|null|nil|undefined|true|false|required|optional|password)(?![\w.-]))"
)
_PASSWORD: Final = re.compile(
    rf"(?:pass(?:word|wd|phrase|code)|(?:\b|_)pwd|passwort|contraseña|mot de passe){_EQUALS}{_VALUE}", re.IGNORECASE
)
_API_KEY: Final = re.compile(
    r"(?:(?:secret|private|encryption|signing|api|access|account|master|auth|app)[ _-]?key(?:[ _-]?id)?|"
    r"(?:api|access|auth|refresh|session|id|bot|client)[ _-]?token|(?:client|api|app)[ _-]?secret)"
    rf"{_EQUALS}(?=\\?[\"'`]?(?:[^\s\d]{{0,80}}\d|\S{{16}}))(?=\S{{6}}){_VALUE}",
    re.IGNORECASE,
)
_LOOSELY_ASSIGNED: Final = re.compile(
    r"\b(?:secret|token|credentials?)\\?[\"']?\s{0,5}(?:=>|:=|=|:)\s{0,5}\\?[\"']?"
    r"(?=[A-Za-z._~+/=-]{0,80}\d)(?P<secret>[A-Za-z0-9._~+/=-]{12,512})",
    re.IGNORECASE,
)
_ORDINARY: Final = (
    "a|about|all|also|always|an|and|any|anything|asked|at|available|back|bad|because|being|better|between|blank|broken|"
    "by|case|changed|compromised|correct|cracked|different|disabled|easy|empty|encrypted|exactly|expired|expiring|fine|"
    "for|forgotten|found|from|getting|going|good|gone|hard|hashed|here|hidden|his|her|how|i|if|important|in|incorrect|"
    "invalid|it|its|just|kept|leaked|long|lost|managed|missing|mine|more|my|needed|never|no|none|not|now|of|off|ok|okay|"
    "old|on|one|only|or|our|out|private|protected|really|required|reset|safe|same|saved|secret|secure|sent|set|short|"
    "shared|simple|so|something|somewhere|still|stolen|stored|strong|such|that|the|their|there|this|to|too|unknown|"
    "unique|up|used|valid|very|weak|what|when|where|which|why|with|working|wrong|your|yours"
)
_SPOKEN: Final = re.compile(
    r"(?:pass(?:word|wd|phrase|code)|\bpwd)"
    r"(?:\s(?:for|to|of)\s(?:[\w.'-]{1,40}\s){1,4}?|\s)(?:is|was|will be)\s{1,3}+(?:now\s|set to\s)?"
    rf"(?!(?:{_ORDINARY})(?![\w'-])){_VALUE}",
    re.IGNORECASE,
)
_PIN: Final = re.compile(
    r"\b(?:pin|cvv|cvc|otp|2fa code)(?:\scode)?\s{0,3}(?:is|=|:)\s{0,3}(?P<secret>\d{3,8})\b", re.IGNORECASE
)

_KEY_BEGIN: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END: Final = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY: Final = re.compile(r"(?:(?:\s|\\[nr])*+[A-Za-z0-9+/=]{16,}+)*+")
_PRINTED_CARD: Final = re.compile(r"\d{4}([ -])\d{4,6}\1\d{4,5}(?:\1\d{1,7})?")
CARD_NUMBER: Final = "card_number"
SHORTEST_SECRET: Final = 7
"""Characters of what is found with the word that marks it: `pin=123`."""
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def redact(text: str) -> Redacted:
    """`text` with every secret that the first set of patterns knows replaced; the default `Redactor`."""
    return SECRETS.redact(text)


def secret_in(identifier: str) -> str | None:
    """The kind of the first secret in an id or a name, None where there is none. A number is none: in an id nothing
    tells that of a card from that of a telephone or an account, unless it is written as cards have it."""
    if len(identifier) < SHORTEST_SECRET or _UUID.fullmatch(identifier):
        return None
    kinds = SECRETS.redact(identifier).kinds
    as_printed = _PRINTED_CARD.search(identifier) is not None
    return next((kind for kind in kinds if kind != CARD_NUMBER or as_printed), None)


class PatternRedactor:
    """A `Redactor` from finders; where their spans touch, one replacement covers them and the longest names it."""

    def __init__(self, finders: tuple[Finder, ...]) -> None:
        self.finders = finders
        self._marks = tuple(dict.fromkeys(mark for finder in finders for mark in finder.marks))
        self._least = min((finder.least for finder in finders if not finder.marks), default=0)

    def redact(self, text: str) -> Redacted:
        """See `Redactor.redact`."""
        lowered = text.lower()
        if len(text) < self._least and not any(mark in lowered for mark in self._marks) and not _disguised(text):
            return Redacted(text, 0, ())
        pieces: list[str] = []
        kinds: list[str] = []
        for index, part in enumerate(_PLACEHOLDER.split(text)):
            if index % 2:
                pieces.append(part)
                continue
            position = 0
            for span in _merged(part, self._found(part)):
                pieces += [part[position : span.start], f"[REDACTED:{span.kind}]"]
                kinds.append(span.kind)
                position = span.end
            pieces.append(part[position:])
        return Redacted("".join(pieces) if kinds else text, len(kinds), tuple(dict.fromkeys(kinds)))

    def _found(self, text: str) -> list[Span]:
        lowered, everything = text.lower(), _disguised(text)
        return [
            span
            for finder in self.finders
            if everything
            or (len(text) >= finder.least and (not finder.marks or any(mark in lowered for mark in finder.marks)))
            for span in finder.find(text)
        ]


def _disguised(text: str) -> bool:
    return not text.isascii() and any(letter in text for letter in _FOLDED)


def _merged(text: str, spans: list[Span]) -> list[Span]:
    """The spans, stretched to whole words and joined where they overlap, left to right."""
    joined: list[Span] = []
    longest = 0
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if joined and span.start <= joined[-1].end:
            last = joined[-1]
            kind = span.kind if span.end - span.start > longest else last.kind
            longest = max(longest, span.end - span.start)
            joined[-1] = Span(last.start, _word_end(text, max(last.end, span.end)), kind)
            continue
        longest = span.end - span.start
        floor = joined[-1].end if joined else 0
        joined.append(Span(_word_start(text, span.start, floor), _word_end(text, span.end), span.kind))
    return joined


def _word_start(text: str, at: int, floor: int) -> int:
    while at > floor and _WORD.match(text, at) and _WORD.match(text, at - 1):
        at -= 1
    return at


def _word_end(text: str, at: int) -> int:
    while at < len(text) and _WORD.match(text, at) and _WORD.match(text, at - 1):
        at += 1
    return at


def _tokens(text: str) -> Iterator[Span]:
    for match in _TOKENS.finditer(text):
        yield Span(match.start(), match.end(), match.lastgroup or "token")


def _secrets(pattern: re.Pattern[str], kind: str, *marks: str) -> Finder:
    """A finder of the group `secret` of a pattern, which has one of the `marks` in all that it matches."""

    def find(text: str) -> Iterator[Span]:
        for match in pattern.finditer(text):
            yield Span(*match.span("secret"), kind)

    return Finder(find, marks=marks)


def _private_keys(text: str) -> Iterator[Span]:
    """From BEGIN to its END; a block that does not end, to the last of the lines of base64 that follow."""
    begins = [match.span() for match in _KEY_BEGIN.finditer(text)]
    ends = [match.end() for match in _KEY_END.finditer(text)]
    for number, (start, header) in enumerate(begins):
        following = begins[number + 1][0] if number + 1 < len(begins) else len(text)
        index = bisect_left(ends, header)
        if index < len(ends) and ends[index] <= following:
            yield Span(start, ends[index], "private_key")
        else:
            body = _KEY_BODY.match(text, header)
            yield Span(start, body.end() if body else header, "private_key")


def _card_numbers(text: str) -> Iterator[Span]:
    for start, end in card_numbers(text):
        yield Span(start, end, CARD_NUMBER)


SECRETS: Final = PatternRedactor(
    (
        Finder(_private_keys, marks=("-----begin",)),
        Finder(_tokens, least=15),
        _secrets(_BEARER, "bearer_token", "bearer", "authorization"),
        _secrets(_CREDENTIALS_IN_URL, "connection_string", "://"),
        _secrets(_SLACK_HOOK, "slack_webhook", "hooks.slack.com/"),
        _secrets(_PASSWORD, "password", "pass", "pwd", "contraseña"),
        _secrets(_API_KEY, "api_key", "key", "token", "secret"),
        _secrets(_LOOSELY_ASSIGNED, "token", "secret", "token", "credential"),
        _secrets(_SPOKEN, "password", "pass", "pwd"),
        _secrets(_PIN, "pin", "pin", "cvv", "cvc", "otp", "2fa code"),
        Finder(_card_numbers, least=13),
    )
)
"""The first set of patterns; a wider one is another tuple of finders."""
