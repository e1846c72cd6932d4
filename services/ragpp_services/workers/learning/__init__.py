"""The stages' ways to learn, without any tier: pure functions over interactions, vectors and what is known."""
