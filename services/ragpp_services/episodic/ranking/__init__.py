"""From the distances of one scan to a ranking: which interactions answer a question, and in which order.

`rank` orders what a scan found; `spread` sets what stands behind the first apart by session, for a question after
several things; `superseding` sets what holds now before what it replaced.
"""

from ragpp_services.episodic.ranking.question import asks_the_assistant, named_speaker
from ragpp_services.episodic.ranking.rank import information, less, rank
from ragpp_services.episodic.ranking.table import CandidateTable, QuerySignals, Ranked, Ranking
from ragpp_services.episodic.ranking.weights import DEFAULT, Weights

__all__ = [
    "DEFAULT",
    "CandidateTable",
    "QuerySignals",
    "Ranked",
    "Ranking",
    "Weights",
    "asks_the_assistant",
    "information",
    "less",
    "named_speaker",
    "rank",
]
