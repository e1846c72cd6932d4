"""Settings that are read from environment variables, and what is wrong with one told by the variable's name."""

import re
from collections.abc import Iterable
from typing import Any, Final

from pydantic import ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from ragpp.errors import ConfigurationError
from ragpp.errors.reasons import reason

_FIELD: Final = re.compile(r'field "(\w+)"')


def check_all(kinds: "Iterable[type[Settings]]") -> None:
    """Raises ConfigurationError, which names every variable that one of these cannot take, once."""
    problems = dict[str, None]()
    for kind in kinds:
        try:
            kind()
        except ConfigurationError as error:
            problems[error.message] = None
    if problems:
        raise ConfigurationError("; ".join(problems))


class Settings(BaseSettings):
    """Settings of one concern. Raises ConfigurationError, which names each variable that cannot be taken and why; the
    values, which may be secret, are not repeated."""

    model_config = SettingsConfigDict(allow_inf_nan=False)

    def __init__(self, **given: Any) -> None:  # noqa: ANN401 - of whatever types the fields have
        try:
            super().__init__(**given)
        except ValidationError as error:
            problems = [self._told(dict(one)) for one in error.errors()]
            raise ConfigurationError("; ".join(problems)) from error
        except SettingsError as error:  # what is to be JSON and is not
            field = _FIELD.search(str(error))
            name = self.variable(field[1] if field else "")
            raise ConfigurationError(f"{name} is not JSON") from error

    @classmethod
    def variable(cls, field: str) -> str:
        """The environment variable of a field."""
        return f"{cls.model_config.get('env_prefix', '')}{field}".upper()

    @classmethod
    def _told(cls, refusal: dict[str, object]) -> str:
        place = refusal["loc"]
        why = "is not set" if refusal["type"] == "missing" else reason(refusal)
        if not isinstance(place, tuple) or not place:  # of all together, which names them itself
            return why
        inside = "".join(f".{part}" for part in place[1:])
        return f"{cls.variable(str(place[0]))}{inside}: {why}"
