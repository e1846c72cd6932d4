"""The check that a caller has the credential that a service was given."""

import hmac


def bears(authorization: str, credential: str) -> bool:
    """True where the header `Authorization` is `Bearer {credential}`; compared in a time that tells nothing of it."""
    return hmac.compare_digest(authorization.encode(), f"Bearer {credential}".encode())
