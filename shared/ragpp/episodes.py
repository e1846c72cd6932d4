"""Episodes of use, by which the catalog learns what its items are worth for a goal."""

from typing import Annotated, Final

from pydantic import Field

from ragpp.catalog import DEFAULT_VALUE
from ragpp.fields import Label
from ragpp.models import Value
from ragpp.td_lambda import ALPHA, GAMMA, LAMBDA

Goal = Label
GENERAL: Final = "general"
"""The goal of an episode that named none."""
MAX_TOGETHER: Final = 100
"""Episodes that end with another."""
Reward = Annotated[float, Field(ge=-1, le=1)]


class Episode(Value):
    """A run of use towards a goal, in a domain where one is named; it ends with a reward."""

    episode_id: str
    goal: str
    domain: str | None = None


class EpisodeAccess(Value):
    """One use of an item in an episode, the `number`th, from 1 on. `value`: what it was worth for the goal then."""

    episode_id: str
    number: int = Field(ge=1)
    item_id: str
    key: str
    value: float = Field(default=DEFAULT_VALUE, ge=0, le=1)


class ValueUpdate(Value):
    """An item's value for a goal before an episode ended, and since."""

    item_id: str
    key: str
    old: float = Field(ge=0, le=1)
    new: float = Field(ge=0, le=1)


class Used(Value):
    """The use of an item, given by its id or by its words, in a domain and a kind of task. `step_reward`: what this
    step brought by itself."""

    memory_id: str | None = None
    content: str | None = None
    domain: str | None = None
    task_type: str | None = None
    step_reward: Reward = 0.0


class EpisodeEnd(Value):
    """How an episode ended, what it was for where that was not known before, which others end with it, and how much is
    learned of it (`ragpp.td_lambda`)."""

    goal: str | None = None
    with_episodes: tuple[str, ...] = ()
    final_reward: Reward
    alpha: Annotated[float, Field(gt=0, le=1)] = ALPHA
    gamma: Annotated[float, Field(ge=0, le=1)] = GAMMA
    lambda_: Annotated[float, Field(ge=0, le=1)] = LAMBDA


class Valued(Value):
    """Which items a list by value is of; None does not narrow."""

    goal: Goal | None = None
    domain: str | None = None
    task_type: str | None = None
    level: str | None = None
    limit: int = Field(default=10, ge=1, le=200)
