"""The public API, a file for each kind of thing; ids in paths are read by `ragpp_services.gateway.paths`."""

from ragpp_services.gateway import paths

__all__ = ["paths"]
