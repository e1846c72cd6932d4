"""Codes that open something or confirm something: PINs, the codes of doors, and those of cards and sign-ins."""

import re
from typing import Final

from ragpp.finders import named

_IS: Final = r"(?:\scode)?\s{0,3}(?:is|=|:)\s{0,3}(?P<secret>\d{3,8})\b"
_OPENS: Final = r"gate|(?:front |back )?door|entry|garage|alarm|safe|lock|padlock|keypad|lobby"
_PIN: Final = re.compile(rf"\b(?:pin|(?:{_OPENS})\s(?:code|pin)){_IS}", re.IGNORECASE)
_CARD_CODE: Final = re.compile(rf"\b(?:cvv|cvc|otp|2fa code){_IS}", re.IGNORECASE)
PINS: Final = (named(_PIN, "pin", "pin", "code"),)
"""A code of a door is one where it is said to be: fault codes and postal codes are numbers that people want kept."""
CARD_CODES: Final = (named(_CARD_CODE, "card_code", "cvv", "cvc", "otp", "2fa code"),)
