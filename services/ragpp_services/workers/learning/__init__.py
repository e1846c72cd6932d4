"""What the stages learn by, without any tier: pure functions over interactions, vectors and what is known."""
