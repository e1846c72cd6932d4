"""Episodes of use, by which the catalog learns what its items are worth for a goal."""

from typing import Annotated

from pydantic import ConfigDict, Field, model_validator

from ragpp.api.items import MAX_STATEMENT_CHARS
from ragpp.episodes import GENERAL, MAX_TOGETHER, Reward
from ragpp.fields import Id, Listed, NewId, NewLabel, Said
from ragpp.models import Value
from ragpp.td_lambda import ALPHA, GAMMA, LAMBDA


class EpisodeIn(Value):
    """An episode to begin: what for, where that is known (its end may tell), and in which domain."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "domain": "sql", "goal": "valid_query"}})

    user_id: NewId | None = None
    goal: NewLabel = GENERAL
    domain: NewLabel | None = None


class AccessIn(Value):
    """The memory used: an item by its id, or by what it says; what nobody has said is kept as an item of the level
    `episodic`. `domain`: absent, the episode's. `step_reward`: what this step brought by itself."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "user_id": "u1",
                "task_type": "date_filter",
                "content": "Dates are compared in UTC.",
                "step_reward": 0.1,
            }
        }
    )

    user_id: NewId | None = None
    agent_id: NewId | None = None
    memory_id: Id | None = None
    content: Annotated[Said, Field(min_length=1, max_length=MAX_STATEMENT_CHARS)] | None = None
    domain: NewLabel | None = None
    task_type: NewLabel | None = None
    step_reward: Reward = 0.0

    @model_validator(mode="after")
    def _names_one(self) -> "AccessIn":
        if (self.memory_id is None) == (self.content is None):
            raise ValueError("names a memory_id or a content, and not both")
        return self


class EpisodeEndIn(Value):
    """How an episode ended. `goal`: what for, absent the one that it began with. `with_episodes`: others that end with
    it, as one: what was used in all of them, by time, moves once. `alpha`: how far values move;
    `gamma`: what a reward counts one access later; `lambda_`: what an access counts one access later."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "final_reward": 1.0}})

    user_id: Id | None = None
    goal: NewLabel | None = None
    with_episodes: Annotated[Listed[Id], Field(max_length=MAX_TOGETHER)] = ()
    final_reward: Reward
    alpha: Annotated[float, Field(gt=0, le=1)] = ALPHA
    gamma: Annotated[float, Field(ge=0, le=1)] = GAMMA
    lambda_: Annotated[float, Field(ge=0, le=1)] = LAMBDA
