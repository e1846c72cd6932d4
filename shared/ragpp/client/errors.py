"""What the client alone raises, by the name of before; all errors are in `ragpp.errors`."""

from ragpp.errors import GatewayUnreachable, TextTooLong

__all__ = ["GatewayUnreachable", "TextTooLong"]
