"""The kinds of personal data, and the form of the mask that stands for a value of one."""

from typing import Final, Literal, get_args

PersonalKind = Literal[
    "email",
    "phone",
    "iban",
    "national_id",
    "passport",
    "date_of_birth",
    "postal_address",
    "ip_address",
    "coordinates",
    "account_name",
]
"""`iban`: of a bank account. `national_id`: the number of a person with a state, its tax office, its social insurance
or its health service. `account_name`: a name somebody has with a service. A payment card is a secret, and none of
these."""
KINDS: Final[frozenset[PersonalKind]] = frozenset(get_args(PersonalKind))

CODE_CHARS: Final = 8
"""Signs of a mask's code, each one of 32. Of n values two have the same with probability n (n - 1) / (2 · 32^8): of the
1,000 values of a user 4.5e-7, where seven signs are 1.5e-5, and four, as document 001 shows them, .38."""
MASK: Final = rf"\[(?:{'|'.join(sorted(kind.upper() for kind in KINDS))})_[a-z2-7]{{{CODE_CHARS}}}\]"

PROVEN: Final = 1
MARKED: Final = -1
FORMED: Final = -2
LOOSE: Final = -3
"""Ranks of spans, where that of a secret is 0: of a long form with check digits, in which a card's number may stand by
chance; of what a checksum or a sign marks, of what has a form, and of what words alone tell."""
DIGITS: Final = tuple("0123456789")
"""Marks of what has a digit in it."""
