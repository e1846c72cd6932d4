"""Adapters, a module a system; each is imported in the environment of its system alone."""
