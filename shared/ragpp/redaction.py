"""Removes secrets from a text before any store, event or log sees it.

A secret is replaced by `[REDACTED:<kind>]` together with the whole word it stands in. Text around it is kept byte for
byte, and a text without secrets comes back unchanged. Redacting twice changes nothing more: nothing of what is already
replaced is replaced again, and a text is searched until nothing more is found.

Time is linear in the text: every repetition in a pattern is bounded, possessive, or starts at a rare marker.
Personal data is kept; card numbers count as secrets.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from ragpp.access_codes import CARD_CODES, PINS
from ragpp.finders import Finder, Span, found, has_any, merged, named
from ragpp.passwords import EQUALS, PASSWORDS, VALUE
from ragpp.payment_cards import card_numbers
from ragpp.placeholders import PLACEHOLDER
from ragpp.signs import disguised
from ragpp.veils import is_veiled, unveiled


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


MOST_PASSES: Final = 6
"""How often a text is searched in which something is found: a value may show only when the one before it is gone."""
DIVIDING: Final = re.compile(f"({PLACEHOLDER.pattern})")
"""A placeholder or a mask: none is looked into."""


def is_redacted(text: str) -> bool:
    """True where anything was taken out of `text`."""
    return DIVIDING.search(text) is not None


_WORD_START: Final = r"(?<![A-Za-z0-9-])"
"""The beginning of a token: behind `_` as well, since ids and variables join words by it, as in `mem_sk-…`."""

_TOKENS: Final = re.compile(
    r"(?P<github_token>gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255})"
    r"|(?P<gitlab_token>glpat-[A-Za-z0-9_-]{20,255})"
    r"|(?P<slack_token>xox[abeoprs]-[A-Za-z0-9-]{10,255}|xapp-\d-[A-Za-z0-9-]{10,255})"
    r"|(?P<aws_access_key>(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})"
    rf"|(?P<anthropic_key>{_WORD_START}sk-ant-[A-Za-z0-9_-]{{16,255}})"
    r"|(?P<stripe_key>(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9]{24,255})"
    rf"|(?P<openai_key>{_WORD_START}sk-(?:proj-|svcacct-|admin-|"
    rf"or-v1-)?(?=[A-Za-z_-]{{0,60}}[0-9])[A-Za-z0-9_-]{{20,255}})"
    r"|(?P<google_api_key>AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,255}|ya29\.[A-Za-z0-9_-]{20,255})"
    r"|(?P<sendgrid_key>SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128})"
    rf"|(?P<twilio_key>{_WORD_START}(?:SK|AC)[0-9a-f]{{32}})"
    rf"|(?P<huggingface_token>{_WORD_START}hf_[A-Za-z0-9]{{30,255}})"
    r"|(?P<digitalocean_token>do[opr]_v1_[a-f0-9]{64})"
    r"|(?P<shopify_token>shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32})"
    rf"|(?P<telegram_token>{_WORD_START}\d{{8,10}}:AA[A-Za-z0-9_-]{{33}})"
    rf"|(?P<ragpp_key>{_WORD_START}rp_[0-9a-f]{{12}}_[A-Za-z0-9_-]{{20,255}})"
    r"|(?P<service_token>(?:npm_|gsk_|xai-|pplx-|lin_api_|ntn_|glsa_|figd_|hvs\.|dapi|sbp_|sntrys_|PMAK-|sq0atp-|"
    r"pypi-AgE)[A-Za-z0-9_.-]{24,255})"
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

_API_KEY: Final = re.compile(
    r"(?:(?:secret|private|encryption|signing|api|access|account|master|auth|app)[ _-]?key(?:[ _-]?id)?|"
    r"(?:api|access|auth|refresh|session|id|bot|client)[ _-]?token|(?:client|api|app)[ _-]?secret)"
    rf"{EQUALS}(?=\\?[\"'`]?(?:[^\s\d]{{0,80}}\d|\S{{16}}))(?=\S{{6}}){VALUE}",
    re.IGNORECASE,
)
_LOOSELY_ASSIGNED: Final = re.compile(
    r"\b(?:secret|token|credentials?)\\?[\"']?\s{0,5}(?:=>|:=|=|:)\s{0,5}\\?[\"']?"
    r"(?=[A-Za-z._~+/=-]{0,80}\d)(?P<secret>[A-Za-z0-9._~+/=-]{12,512})",
    re.IGNORECASE,
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


def placeholder(kind: str, value: str) -> str:
    """The mark that stands for a secret, which tells nothing of its `value`."""
    del value
    return f"[REDACTED:{kind}]"


class PatternRedactor:
    """A `Redactor` from finders; where their spans touch, one replacement covers them.

    `replaced`: what takes the place of a value of a kind, a text that DIVIDING matches.
    """

    def __init__(self, finders: tuple[Finder, ...], replaced: Callable[[str, str], str] = placeholder) -> None:
        self.finders = finders
        self._replaced = replaced
        self._marks = tuple(dict.fromkeys(mark for finder in finders for mark in finder.marks))
        self._least = min((finder.least for finder in finders if not finder.marks), default=0)

    def redact(self, text: str) -> Redacted:
        """See `Redactor.redact`."""
        lowered = text.lower()
        hides = not text.isascii() and (disguised(text) or is_veiled(text))
        if len(text) < self._least and not has_any(self._marks, lowered) and not hides:
            return Redacted(text, 0, ())
        kinds: list[str] = []
        for _ in range(MOST_PASSES):
            text, more = self._replace(text)
            kinds += more
            if not more:
                break
        return Redacted(text, len(kinds), tuple(dict.fromkeys(kinds)))

    def _replace(self, text: str) -> tuple[str, list[str]]:
        """`text` with what is found beside its placeholders replaced, and the kind of each replacement."""
        is_plain = text.isascii()
        spans = found(self.finders, text) if is_plain and "[" not in text else self._spans(text)
        pieces: list[str] = []
        kinds: list[str] = []
        position = 0
        for span in merged(text, spans):
            value = text[span.start : span.end]
            pieces += [
                text[position : span.start],
                self._replaced(span.kind, value if is_plain else unveiled(value)[0]),
            ]
            kinds.append(span.kind)
            position = span.end
        return ("".join([*pieces, text[position:]]) if kinds else text), kinds

    def _spans(self, text: str) -> list[Span]:
        """The spans in each part between placeholders, and those that are found where a placeholder is a word of
        nobody, without those that touch one."""
        placed = [match.span() for match in DIVIDING.finditer(text)] if "[" in text else []
        if not placed:
            return self._seen(text)
        spans: list[Span] = []
        position = 0
        for start, end in (*placed, (len(text), len(text))):
            spans += [
                replace(span, start=span.start + position, end=span.end + position)
                for span in self._seen(text[position:start])
            ]
            position = end
        return spans + [span for span in self._seen(_neutral(text, placed)) if not _touches(span, placed)]

    def _seen(self, text: str) -> list[Span]:
        """The spans of a text as it is, and as it shows where signs are hidden in it."""
        spans = found(self.finders, text)
        if is_veiled(text):
            shown, place_of = unveiled(text)
            spans += [
                replace(span, start=place_of(span.start), end=place_of(span.end - 1) + 1)
                for span in found(self.finders, shown)
            ]
        return spans


def _neutral(text: str, placed: Sequence[tuple[int, int]]) -> str:
    """`text` with a word of nobody in the place of each placeholder, as long as that."""
    pieces: list[str] = []
    position = 0
    for start, end in placed:
        pieces += [text[position:start], "Xy" + "x" * (end - start - 2)]
        position = end
    return "".join([*pieces, text[position:]])


def _touches(span: Span, placed: Sequence[tuple[int, int]]) -> bool:
    after = bisect_left(placed, (span.start, span.start))
    return (after > 0 and placed[after - 1][1] > span.start) or (after < len(placed) and placed[after][0] < span.end)


def _tokens(text: str) -> Iterator[Span]:
    for match in _TOKENS.finditer(text):
        yield Span(match.start(), match.end(), match.lastgroup or "token")


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
        named(_BEARER, "bearer_token", "bearer", "authorization"),
        named(_CREDENTIALS_IN_URL, "connection_string", "://"),
        named(_SLACK_HOOK, "slack_webhook", "hooks.slack.com/"),
        *PASSWORDS,
        named(_API_KEY, "api_key", "key", "token", "secret"),
        named(_LOOSELY_ASSIGNED, "token", "secret", "token", "credential"),
        *PINS,
        *CARD_CODES,
        Finder(_card_numbers, least=13),
    )
)
"""The first set of patterns; a wider one is another tuple of finders."""
SECRETS_BUT_PASSWORDS: Final = PatternRedactor(tuple(one for one in SECRETS.finders if one not in {*PASSWORDS, *PINS}))
"""The same for a household that wants its passwords, PINs and codes of doors remembered."""
