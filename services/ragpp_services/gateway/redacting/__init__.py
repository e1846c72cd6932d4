"""Redacting what is stored already, by a policy, a pattern or one given text: found, and replaced."""
