"""The finders of each kind of personal data."""

from collections.abc import Mapping
from typing import Final

from ragpp.finders import Finder
from ragpp.personal.account_names import ACCOUNT_NAMES
from ragpp.personal.addresses import POSTAL_ADDRESSES
from ragpp.personal.bank_accounts import IBANS
from ragpp.personal.birthdays import BIRTHDAYS
from ragpp.personal.coordinates import COORDINATES
from ragpp.personal.kinds import PersonalKind
from ragpp.personal.machines import IP_ADDRESSES
from ragpp.personal.mail import EMAILS
from ragpp.personal.national_ids import NATIONAL_IDS
from ragpp.personal.passports import PASSPORTS
from ragpp.personal.phones import PHONES

FINDERS: Final[Mapping[PersonalKind, tuple[Finder, ...]]] = {
    "account_name": ACCOUNT_NAMES,
    "coordinates": COORDINATES,
    "date_of_birth": BIRTHDAYS,
    "email": EMAILS,
    "iban": IBANS,
    "ip_address": IP_ADDRESSES,
    "national_id": NATIONAL_IDS,
    "passport": PASSPORTS,
    "phone": PHONES,
    "postal_address": POSTAL_ADDRESSES,
}
