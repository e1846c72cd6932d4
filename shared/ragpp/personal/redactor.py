"""The `Redactor` of a policy: secrets and personal data in one pass."""

from functools import partial
from typing import Final, cast

from ragpp.errors import PersonalDataRefused
from ragpp.personal.kinds import KINDS, PersonalKind
from ragpp.personal.masking import masked
from ragpp.personal.policy import PersonalPolicy
from ragpp.redaction import SECRETS, SECRETS_BUT_PASSWORDS, PatternRedactor, Redacted, Redactor, placeholder

_PERSONAL: Final[frozenset[str]] = KINDS


def redactor_of(policy: PersonalPolicy, key: bytes) -> Redactor:
    """The redactor that `policy` asks for: SECRETS itself, or SECRETS_BUT_PASSWORDS, where personal data is kept; where
    none of any kind is, SPOKEN_SECRETS are taken out as well, unless passwords are kept.

    `key`: of the masks, at least SHORTEST_KEY bytes; one key gives one value one mask. It is used by the mode `mask`
    alone. In the mode `refuse` the redactor raises PersonalDataRefused, which names no field: whoever knows it adds it
    by `in_field`. To be made once for a policy and a key, and kept.
    """
    secrets = SECRETS_BUT_PASSWORDS if policy.keeps_passwords else SECRETS
    if policy.mode == "keep":
        return secrets
    from ragpp.personal.finding import FINDERS  # noqa: PLC0415 - its patterns take time to compile: not where all is kept
    from ragpp.personal.spoken_secrets import SPOKEN_SECRETS  # noqa: PLC0415 - as above

    spoken = (SPOKEN_SECRETS,) if policy.kinds == KINDS and not policy.keeps_passwords else ()
    finders = (*secrets.finders, *(finder for kind in sorted(policy.kinds) for finder in FINDERS[kind]), *spoken)
    if policy.mode == "mask":
        return PatternRedactor(finders, partial(_replaced, key=key))
    return Refusing(PatternRedactor(finders))


class Refusing:
    """A `Redactor` that takes secrets out, and refuses personal data."""

    def __init__(self, patterns: PatternRedactor) -> None:
        self.patterns = patterns

    def redact(self, text: str) -> Redacted:
        """See `Redactor.redact`. Raises: PersonalDataRefused."""
        redacted = self.patterns.redact(text)
        if personal := [kind for kind in redacted.kinds if kind in _PERSONAL]:
            raise PersonalDataRefused.of(personal)
        return redacted


def _replaced(kind: str, value: str, *, key: bytes) -> str:
    return masked(cast("PersonalKind", kind), value, key) if kind in _PERSONAL else placeholder(kind, value)
