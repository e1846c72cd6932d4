"""The bodies of the public HTTP API, shared by the gateway and its clients."""

from ragpp.api.categories import MAX_PAGE_CHARS, CategoryIn, CategoryItemsIn, CategoryPageIn, ConsolidateIn, DefaultsIn
from ragpp.api.entries import MAX_INJECTION_TOKENS, MAX_OFFSET, CleanupIn, EntryIn, EntryList, Offered, RelevantMemories
from ragpp.api.forgetting import (
    AboutIn,
    ConfirmIn,
    ForgetAnswer,
    ForgetRequest,
    Forgotten,
    ForgottenMessage,
    FoundMessage,
    Why,
)
from ragpp.api.graph import EntityChange, MergeIn, RelationshipIn, SplitIn
from ragpp.api.items import ItemIn, ItemSearchIn, ItemsIn, RebuildIn, RetrieveRequest, StoredItems
from ragpp.api.learning import AccessIn, EpisodeEndIn, EpisodeIn
from ragpp.api.messages import ChosenId, MessageIn, Pending, StoredMessage, StoreRequest, StoreResponse, TierStatusName
from ragpp.api.people import Profile, ProfileItem
from ragpp.api.procedures import ActivationIn, JudgementIn, Outcome, PreferenceIn, Restore, RuleChange, RuleIn, UserIn
from ragpp.api.recalling import RecalledMemory, RecallRequest, RecallResponse, SectionOut, TierStatus
from ragpp.api.resources import ExtractResourceIn, ResourceIn, ResourceMessageIn, StoredResource
from ragpp.api.upkeep import ExtractIn, Live, Pin, PinList, Ready, ReflectIn, RetentionIn, SettingsIn

__all__ = [
    "MAX_INJECTION_TOKENS",
    "MAX_OFFSET",
    "MAX_PAGE_CHARS",
    "AboutIn",
    "AccessIn",
    "ActivationIn",
    "CategoryIn",
    "CategoryItemsIn",
    "CategoryPageIn",
    "ChosenId",
    "CleanupIn",
    "ConfirmIn",
    "ConsolidateIn",
    "DefaultsIn",
    "EntityChange",
    "EntryIn",
    "EntryList",
    "EpisodeEndIn",
    "EpisodeIn",
    "ExtractIn",
    "ExtractResourceIn",
    "ForgetAnswer",
    "ForgetRequest",
    "Forgotten",
    "ForgottenMessage",
    "FoundMessage",
    "ItemIn",
    "ItemSearchIn",
    "ItemsIn",
    "JudgementIn",
    "Live",
    "MergeIn",
    "MessageIn",
    "Offered",
    "Outcome",
    "Pending",
    "Pin",
    "PinList",
    "PreferenceIn",
    "Profile",
    "ProfileItem",
    "Ready",
    "RebuildIn",
    "RecallRequest",
    "RecallResponse",
    "RecalledMemory",
    "ReflectIn",
    "RelationshipIn",
    "RelevantMemories",
    "ResourceIn",
    "ResourceMessageIn",
    "Restore",
    "RetentionIn",
    "RetrieveRequest",
    "RuleChange",
    "RuleIn",
    "SectionOut",
    "SettingsIn",
    "SplitIn",
    "StoreRequest",
    "StoreResponse",
    "StoredItems",
    "StoredMessage",
    "StoredResource",
    "TierStatus",
    "TierStatusName",
    "UserIn",
    "Why",
]
