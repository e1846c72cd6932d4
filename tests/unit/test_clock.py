"""Moments as integers."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from ragpp.clock import from_moment, to_moment


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_moment_is_exact(when: datetime) -> None:
    assert from_moment(to_moment(when)) == when
