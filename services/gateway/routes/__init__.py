"""The public API, a file for each kind of thing; ids in paths are read by `services.gateway.paths`."""

from services.gateway import paths

__all__ = ["paths"]
