"""The hooks of an agent's turn, its budget and its use, as verbs of the client."""

# mypy: disable-error-code="empty-body"
# what `@route` decorates is a signature alone

from ragpp.api.files import EntriesIn, ExportedMemories, ImportedEntries, SourceIn, SourceReport
from ragpp.api.hooks import (
    AgentUse,
    BudgetIn,
    FeedbackIn,
    Injection,
    MemoryRequestIn,
    PostMessageIn,
    PostResponseIn,
    PreMessageIn,
    PrePromptIn,
    RequestedMemories,
    TurnCatalog,
    Usefulness,
)
from ragpp.client.faces import Face
from ragpp.client.route import route
from ragpp.entries.usage import TokenBudget, ValueMove
from ragpp.jobs import Job


class HookVerbs(Face):
    """The verbs by which an agent asks and tells in its turns; how calls are made is the subclass's."""

    @route("POST", "/v1/hooks/pre-prompt", body=PrePromptIn)
    def pre_prompt(self, request: PrePromptIn) -> TurnCatalog:
        """Begin a turn: what the agent may choose from for a prompt, in short, within its budget."""

    @route("POST", "/v1/hooks/memory-request", body=MemoryRequestIn, repeat=False)
    def memory_request(self, request: MemoryRequestIn) -> RequestedMemories:
        """The memories that it chose, by handle or id, in full as far as the turn's budget goes."""

    @route("POST", "/v1/hooks/post-response", body=PostResponseIn)
    def post_response(self, request: PostResponseIn) -> Usefulness:
        """How useful the memories were for its answer; what they are worth moves, once a turn."""

    @route("POST", "/v1/hooks/pre-message", body=PreMessageIn)
    def pre_message(self, request: PreMessageIn) -> Injection:
        """Begin a turn with what fits a message, as a section to put before it."""

    @route("POST", "/v1/hooks/post-message", body=PostMessageIn, repeat=False)
    def post_message(self, request: PostMessageIn) -> Job:
        """Have memories taken from an exchange; see `ended_job`."""

    @route("GET", "/v1/agents/{ci}/budget")
    def agent_budget(self, ci: str, *, user_id: str | None = None) -> TokenBudget:
        """Tokens of memory of the turn that the agent is in."""

    @route("PUT", "/v1/agents/{ci}/budget", after_id=BudgetIn)
    def set_agent_budget(self, ci: str, request: BudgetIn) -> TokenBudget:
        """Set those of its turns from the next one on."""

    @route("PUT", "/v1/agents/{ci}/source", after_id=SourceIn)
    def set_agent_source(self, ci: str, request: SourceIn) -> AgentUse:
        """Where its memories come from: `file`, `parallel` or `catalog`."""

    @route("GET", "/v1/agents/{ci}/comparison")
    def agent_comparison(
        self, ci: str, *, user_id: str | None = None, offset: int = 0, limit: int = 50
    ) -> SourceReport:
        """How what its file would have given differs from what the catalog gave, since it was set to `parallel`."""

    @route("POST", "/api/memory/import", body=EntriesIn)
    def import_entries(self, request: EntriesIn) -> ImportedEntries:
        """Keep the memories of a file, each by itself; what became of each, in their order."""

    @route("GET", "/api/memory/export")
    def export_entries(
        self, user_id: str | None = None, *, ci: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> ExportedMemories:
        """Memories for a file, the latest first: what the agent alone sees, or what all of the user's agents see."""

    @route("GET", "/v1/agents/{ci}/usage")
    def agent_usage(self, ci: str, *, user_id: str | None = None, offset: int = 0, limit: int = 50) -> AgentUse:
        """The tokens that it was given in all its turns, and its memories, those of most tokens first."""

    @route("POST", "/v1/catalog/{memory_id}/feedback", after_id=FeedbackIn, repeat=False)
    def give_feedback(self, memory_id: str, request: FeedbackIn) -> ValueMove:
        """Store what the agent thinks of a memory, −1 to 1; returns how its value moved. NotFound."""
