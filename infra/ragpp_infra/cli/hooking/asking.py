"""Briefs and recalls, asked for without the client, whose modules take longer to load than an answer."""

import json
import re
from collections.abc import Collection, Mapping
from typing import Final
from urllib.parse import quote, urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from ragpp.environment import gateway_of
from ragpp.introducing import introduced

PATIENCE_S: Final = 1.5
DEADLINE_MS: Final = 400
TOKENS: Final = 400
"""Limits of what is recalled for one prompt."""
PROFILE_CHARS: Final = 1_600
"""Characters of a brief: some 400 tokens."""
_MOST_EXCLUDED: Final = 1_000
_LONGEST_QUERY: Final = 20_000
_UNKNOWN: Final = "Nothing is known of "
_OURS: Final = re.compile(r"<(?=[^\w<]{0,8}system)", re.IGNORECASE)
"""An assistant puts the words of hooks between tags that are called so: what is stored neither closes nor opens one."""


def brief(user: str) -> str:
    """The profile of `user`; empty where nothing is known. Raises what a request does, and ConfigurationError."""
    text = str(_answer("GET", f"/v1/users/{quote(user, safe='')}/profile?limit=20").get("text") or "")
    if text.startswith(_UNKNOWN):
        return ""
    return _fenced(introduced(_cut(text), None))


def recalled(user: str, prompt: str, *, shown: Collection[str]) -> str:
    """The context recalled for `prompt`, but for messages of the ids `shown`, which the assistant has before it; empty
    where nothing is found. Raises as `brief`."""
    asked = {
        "user_id": user,
        "query": prompt[-_LONGEST_QUERY:],
        "token_budget": TOKENS,
        "deadline_ms": DEADLINE_MS,
        "exclude": list(shown)[-_MOST_EXCLUDED:],
    }
    answer = _answer("POST", "/v1/recall", asked)
    return _fenced(introduced(str(answer.get("context") or ""), str(answer.get("relevance"))))


def _fenced(text: str) -> str:
    return _OURS.sub("&lt;", text)


def _cut(text: str) -> str:
    """Whole sentences of it."""
    if len(text) <= PROFILE_CHARS:
        return text
    return text[: text.rfind(". ", 0, PROFILE_CHARS) + 1] or text[:PROFILE_CHARS]


def _answer(method: str, path: str, body: Mapping[str, object] | None = None) -> Mapping[str, object]:
    url, key = gateway_of(None, None)
    near = urlsplit(url).hostname in {"127.0.0.1", "localhost", "::1"}  # a proxy of the environment is not for these
    request = Request(  # noqa: S310 - http or https, as `gateway_of` says
        url.rstrip("/") + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={"authorization": f"Bearer {key}", "content-type": "application/json"},
        method=method,
    )
    with build_opener(*([ProxyHandler({})] if near else [])).open(request, timeout=PATIENCE_S) as answer:
        read = json.load(answer)
    return read if isinstance(read, dict) else {}
