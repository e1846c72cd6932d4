"""What two facts have to do with each other, by their words. Pure."""


def same_fact(earlier: str, later: str) -> bool:
    """Whether they state the same: in the same words, but for case and white space."""
    return earlier.casefold().split() == later.casefold().split()


def contradicts(_earlier: str, _later: str) -> bool:
    """Whether the later one says otherwise about the same thing; never known from the words alone here."""
    return False
