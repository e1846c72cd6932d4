"""Ids of findings, which follow from what they say."""

import hashlib

from ragpp.fields import joined
from ragpp.learned import FOUND


def finding_id(*said: str) -> str:
    """The id of a finding: the same for the same kind, speaker and words."""
    return f"{FOUND}{hashlib.sha256(joined(*said).encode()).hexdigest()[:32]}"
