"""The language models that the settings name; a provider's library is imported when one of its models is."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from ragpp.errors import ConfigurationError
from ragpp.llm.metered import Called, LanguageModels, untold
from ragpp.llm.port import PURPOSES, LanguageModel, Purpose, SpendBudget
from ragpp.providers import FIRST_WAIT_S, INSTALL, header_key
from ragpp.settings import LanguageModelSettings


def make_language_models(
    settings: LanguageModelSettings,
    budget: SpendBudget,
    *,
    purposes: Collection[Purpose] = PURPOSES,
    called: Called = untold,
) -> LanguageModels | None:
    """The models by purpose, of `purposes`; None where the settings name none of them. Opens no connection. `called` is
    told of each call.

    Raises ConfigurationError for a key that is missing and a library that is not installed.
    """
    named = {purpose: name for purpose, name in _named(settings).items() if purpose in purposes}
    if not named:
        return None
    wanted = {purpose: (name, _patience(purpose, settings)) for purpose, name in named.items()}
    made = {one: _made(*one, settings) for one in dict.fromkeys(wanted.values())}
    return LanguageModels(
        {purpose: made[one] for purpose, one in wanted.items()},
        budget,
        concurrency=settings.concurrency,
        called=called,
    )


class _Patience(NamedTuple):
    """How often a failed call is made again, and after how many seconds first."""

    retries: int
    first_wait_s: float


def _patience(purpose: Purpose, settings: LanguageModelSettings) -> _Patience:
    match purpose:
        case "extraction":
            return _Patience(settings.extraction_max_retries, settings.extraction_backoff_base)
        case "consolidation":
            return _Patience(settings.consolidation_max_retries, settings.consolidation_backoff_base)
        case "retrieval":
            return _Patience(settings.retrieval_max_retries, settings.retrieval_backoff_base)
        case _:
            return _Patience(settings.max_retries, FIRST_WAIT_S)


def _named(settings: LanguageModelSettings) -> Mapping[Purpose, str]:
    names: dict[Purpose, str] = {
        "summary": settings.summary,
        "extraction": settings.extraction,
        "consolidation": settings.consolidation,
        "retrieval": settings.retrieval,
        "reflection": settings.reflection,
        "chat": settings.chat,
    }
    return {purpose: name for purpose, name in names.items() if name}


def _made(name: str, patience: _Patience, settings: LanguageModelSettings) -> LanguageModel:
    provider, _, model = name.partition(":")
    try:
        if provider == "openai":
            return _openai(model, patience, settings)
        return _anthropic(model, patience, settings)
    except ImportError as error:
        raise ConfigurationError(f"{name} needs the library {provider}: {error}", suggestions=INSTALL) from error


def _openai(model: str, patience: _Patience, settings: LanguageModelSettings) -> LanguageModel:
    from ragpp.llm.openai_compatible import OpenAICompatibleModel  # noqa: PLC0415 - an optional extra

    key = header_key("LLM_OPENAI_API_KEY", settings.openai_api_key)
    if not key and not settings.openai_base_url:
        raise ConfigurationError("LLM_OPENAI_API_KEY is not set, nor LLM_OPENAI_BASE_URL for a server that needs none")
    return OpenAICompatibleModel(
        model=model,
        api_key=key,
        base_url=settings.openai_base_url,
        timeout_s=settings.timeout_s,
        retries=patience.retries,
        first_wait_s=patience.first_wait_s,
    )


def _anthropic(model: str, patience: _Patience, settings: LanguageModelSettings) -> LanguageModel:
    from ragpp.llm.anthropic import AnthropicModel  # noqa: PLC0415 - an optional extra

    key = header_key("LLM_ANTHROPIC_API_KEY", settings.anthropic_api_key)
    if not key:
        raise ConfigurationError("LLM_ANTHROPIC_API_KEY is not set")
    return AnthropicModel(
        model=model,
        api_key=key,
        base_url=settings.anthropic_base_url,
        timeout_s=settings.timeout_s,
        retries=patience.retries,
        first_wait_s=patience.first_wait_s,
    )
