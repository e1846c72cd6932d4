"""Facts without a language model: what a resource says that can be checked, each fact so that it stands alone.

`reading` reads a resource and `comparing` tells one fact from another. Each of `conversations`, `documents`,
`configurations` and `reviews` cuts its kind of resource into passages; what a sentence is worth is in `judging`, which
rests on `verbs`, `evidence` and `doubts`; `splitting` makes several facts of one sentence, with `eliding` for what one
leaves out; `hanging` says what stands under headings, and `standalone` writes out whom and what a sentence is about,
which `topics` keeps.
"""

from ragpp.extraction.facts.comparing import contradicts, same_fact
from ragpp.extraction.facts.reading import read_facts

__all__ = ["contradicts", "read_facts", "same_fact"]
