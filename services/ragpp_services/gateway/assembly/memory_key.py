"""When two memories are the same one."""

from ragpp.models import Memory

MemoryKey = tuple[str, str]


def memory_key(memory: Memory) -> MemoryKey:
    """Equal for a message of the running conversation and the interaction that it is; otherwise one for each tier and
    id, since ids of different tiers are chosen apart and may be spelled alike."""
    return ("interaction" if memory.kind in {"interaction", "message"} else memory.tier, memory.id)
