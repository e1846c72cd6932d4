"""Language models: the port, what is asked of them, and what a tenant may spend on them.

None is needed: wherever one is used, what needs no model does the work when there is none, when it fails, and when
its budget is spent.
"""

from ragpp.llm.choosing import Chosen, choose_items
from ragpp.llm.metered import LanguageModels
from ragpp.llm.pages import write_page
from ragpp.llm.port import (
    ChatDelta,
    ChatMessage,
    Completion,
    LanguageModel,
    Prompt,
    Purpose,
    SpendBudget,
    Usage,
)
from ragpp.llm.suggestions import (
    SuggestedMerge,
    SuggestedRule,
    suggest_merges,
    suggest_rules,
    suggest_themes,
)
from ragpp.llm.windows import FoundFinding, FoundPreference, FoundRelationship, WindowExtraction, extract_window

__all__ = [
    "ChatDelta",
    "ChatMessage",
    "Chosen",
    "Completion",
    "FoundFinding",
    "FoundPreference",
    "FoundRelationship",
    "LanguageModel",
    "LanguageModels",
    "Prompt",
    "Purpose",
    "SpendBudget",
    "SuggestedMerge",
    "SuggestedRule",
    "Usage",
    "WindowExtraction",
    "choose_items",
    "extract_window",
    "suggest_merges",
    "suggest_rules",
    "suggest_themes",
    "write_page",
]
