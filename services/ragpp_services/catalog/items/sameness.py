"""The relation of two facts, by their words: the one thing that the catalog borrows from those who read facts in
resources."""

from ragpp.extraction.facts.comparing import contradicts, same_fact

__all__ = ["contradicts", "same_fact"]
