"""The errors that the client alone raises, by their former names; all errors are in `ragpp.errors`."""

from ragpp.errors import GatewayUnreachable, TextTooLong

__all__ = ["GatewayUnreachable", "TextTooLong"]
