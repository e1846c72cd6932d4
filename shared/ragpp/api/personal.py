"""Bodies and answers about personal data: the policy of a tenant or a user."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StrictBool

from ragpp.fields import Listed
from ragpp.models import Value
from ragpp.personal.kinds import KINDS, PersonalKind
from ragpp.personal.policy import PersonalMode, PersonalPolicy

PolicyOrigin = Literal["user", "tenant", "default"]
"""Who set a policy that holds: the user's own goes before the tenant's, and the default is to keep all."""


class PersonalPolicyIn(Value):
    """The policy for personal data that comes in from now on. `mode`: `keep` stores it, `mask` puts a mask in the place
    of each value, the same for the same value, `refuse` refuses the request. `kinds`: those that it holds for; absent:
    all, those too that later versions know. `keeps_passwords`: passwords, PINs and door codes stay in the text."""

    model_config = ConfigDict(json_schema_extra={"example": {"mode": "mask", "kinds": ["email", "phone"]}})

    mode: PersonalMode
    kinds: Annotated[Listed[PersonalKind], Field(min_length=1, max_length=len(KINDS))] | None = None
    keeps_passwords: StrictBool = False

    @property
    def policy(self) -> PersonalPolicy:
        """The policy that it says."""
        return PersonalPolicy(self.mode, KINDS if self.kinds is None else frozenset(self.kinds), self.keeps_passwords)


class PersonalPolicyOut(Value):
    """The policy that holds, with every kind that it holds for, and whose it is."""

    mode: PersonalMode
    kinds: tuple[PersonalKind, ...]
    keeps_passwords: bool
    set_by: PolicyOrigin

    @classmethod
    def of(cls, policy: PersonalPolicy, set_by: PolicyOrigin) -> "PersonalPolicyOut":
        """The answer for `policy`."""
        return cls(
            mode=policy.mode, kinds=tuple(sorted(policy.kinds)), keeps_passwords=policy.keeps_passwords, set_by=set_by
        )
