"""The policies for personal data as verbs of the client."""

# mypy: disable-error-code="empty-body"
# what `@route` decorates is a signature alone

from ragpp.api.personal import PersonalPolicyIn, PersonalPolicyOut
from ragpp.api.redacting import RedactAnswer, RedactRequest
from ragpp.client.faces import Face
from ragpp.client.route import route


class PersonalVerbs(Face):
    """The policy for personal data, of all users of the tenant or of one; how calls are made is the subclass's."""

    @route("GET", "/v1/personal-data")
    def personal_policy(self) -> PersonalPolicyOut:
        """The policy that holds for users who have none of their own."""

    @route("PUT", "/v1/personal-data", body=PersonalPolicyIn)
    def set_personal_policy(self, policy: PersonalPolicyIn) -> PersonalPolicyOut:
        """Decide for all users of the tenant what becomes of personal data from now on.

            memory.set_personal_policy(mode="mask", kinds=("email", "phone"))

        Raises Forbidden for a key without the scope `admin`, or one that is bound to a user or an agent.
        """

    @route("DELETE", "/v1/personal-data")
    def drop_personal_policy(self) -> PersonalPolicyOut:
        """Keep personal data again, but for users who have a policy of their own."""

    @route("GET", "/v1/users/{user_id}/personal-data")
    def user_personal_policy(self, user_id: str) -> PersonalPolicyOut:
        """The policy that holds for the user, and in `set_by` whose it is."""

    @route("PUT", "/v1/users/{user_id}/personal-data", after_id=PersonalPolicyIn)
    def set_user_personal_policy(self, user_id: str, policy: PersonalPolicyIn) -> PersonalPolicyOut:
        """Decide it for one user, in the place of the tenant's policy."""

    @route("DELETE", "/v1/users/{user_id}/personal-data")
    def drop_user_personal_policy(self, user_id: str) -> PersonalPolicyOut:
        """Have the tenant's policy hold for the user again; it is answered."""

    @route("POST", "/v1/redact", body=RedactRequest)
    def redact_stored(self, request: RedactRequest) -> RedactAnswer:
        """Find what is stored and should not be, a part of it at a time; without `dry_run` it is replaced.

            found = memory.redact_stored(user_id="ana", text="blue heron")  # lists, and changes nothing
            while found.next_cursor is not None:
                found = memory.redact_stored(user_id="ana", text="blue heron", cursor=found.next_cursor)

        Raises Conflict where the policy that is to be applied keeps what is personal, InvalidInput for a pattern that
        cannot be searched for in linear time; Forbidden for a key that may not write and forget, or is an agent's.
        """
