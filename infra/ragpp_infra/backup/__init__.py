"""Copies of all stores, taken while they serve, and what such a copy is put back into. See docs/backup.md."""
