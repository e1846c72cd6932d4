"""Which gateway is meant where the caller does not say: the one that the environment names."""

import os
from typing import Final

from ragpp.errors import ConfigurationError

URL: Final = "RAGPP_URL"
API_KEY: Final = "RAGPP_API_KEY"


def gateway_of(base_url: str | None, api_key: str | None) -> tuple[str, str]:
    """Address and key as given, else from RAGPP_URL and RAGPP_API_KEY.

    Raises ConfigurationError, which names what is neither given nor set, or that an address has no http:// before it.
    """
    found = {URL: base_url or os.environ.get(URL), API_KEY: api_key or os.environ.get(API_KEY)}
    if missing := [name for name, value in found.items() if not value]:
        raise ConfigurationError(
            f"no gateway is named: {' and '.join(missing)} not set, and `base_url` and `api_key` not given",
            suggestions=("Set them, or give both to the client; `ragpp env` shows those of the embedded stack.",),
        )
    url = found[URL] or ""
    if not is_address(url):
        raise ConfigurationError(
            "the gateway's address has no http:// or https:// before it",
            suggestions=("Write it as http://127.0.0.1:8700.",),
        )
    return url, found[API_KEY] or ""


def is_address(url: str) -> bool:
    """Whether a request can go to `url`."""
    return url.startswith(("http://", "https://"))
