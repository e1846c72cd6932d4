"""Marks of forgotten sources, with a key of the tests."""

from typing import Final

from pydantic import SecretStr

from ragpp.stores.forgetting import SourceMarks

KEY: Final = "a key of the tests"
MARKS: Final = SourceMarks(SecretStr(KEY))
