"""The nodes of each mode in their order, and where a turn leaves it. Pure.

recall   receive → store_message → recall → assemble → respond → store_response → judge → report
                                 └─ tools still out ──────────────┬── no text ────────────┘
catalog  receive → store_message → offer → choose → request → assemble → respond → store_response → judge → report
                                 └─ it was given before ────────┘
                                          └─ nothing offered, or chosen
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ragpp_services.governor import catalog_nodes as catalog
from ragpp_services.governor import nodes
from ragpp_services.governor.nodes import Node, nothing, unchanged
from ragpp_services.governor.reporting import ask_what_is_unsaved, report
from ragpp_services.governor.rule_nodes import ask_what_came_of_rules
from ragpp_services.governor.turn import Turn
from ragpp_services.governor.values import Mode, NodeName

Order = Mapping[NodeName, Node]

_RECEIVE: Final = Node("receive", nothing, nodes.receive)
_STORE_MESSAGE: Final = Node("store_message", nodes.ask_to_store_message, unchanged)
_RESPOND: Final = Node("respond", nodes.ask_to_respond, nodes.respond)
_STORE_RESPONSE: Final = Node("store_response", nodes.ask_to_store_response, unchanged)
_REPORT: Final = Node("report", ask_what_is_unsaved, report)


def _in_order(*steps: Node) -> Order:
    return MappingProxyType({node.name: node for node in steps})


ORDERS: Final[Mapping[Mode, Order]] = {
    "recall": _in_order(
        _RECEIVE,
        _STORE_MESSAGE,
        Node("recall", nodes.ask_to_recall, unchanged),
        Node("assemble", nothing, nodes.assemble),
        _RESPOND,
        _STORE_RESPONSE,
        Node("judge", ask_what_came_of_rules, unchanged),
        _REPORT,
    ),
    "catalog": _in_order(
        _RECEIVE,
        _STORE_MESSAGE,
        Node("offer", catalog.ask_for_a_catalog, catalog.offer),
        Node("choose", catalog.ask_which, catalog.choose),
        Node("request", catalog.ask_for_what_was_chosen, catalog.request),
        Node("assemble", nothing, catalog.assemble),
        _RESPOND,
        _STORE_RESPONSE,
        Node("judge", catalog.ask_what_came_of_it, unchanged),
        _REPORT,
    ),
}
FIRST: Final[NodeName] = "receive"
LAST: Final[NodeName] = "report"


def after(name: NodeName, turn: Turn) -> NodeName | None:
    """The node that follows; None at the end. While tools are out nothing is asked and nothing said; a reply without
    a text leaves nothing to store, and one that waits for tools is not judged."""
    if (name in {"store_message", "store_response"} and turn.awaiting) or (name == "respond" and not turn.text):
        return LAST
    if turn.mode == "catalog" and (leap := _leap(name, turn)) is not None:
        return leap
    order = tuple(ORDERS[turn.mode])
    place = order.index(name) + 1
    return order[place] if place < len(order) else None


def _leap(name: NodeName, turn: Turn) -> NodeName | None:
    """Past what need not be asked for memories, once it is settled what the exchange is given."""
    if name in {"store_message", "choose"} and turn.given is not None:
        return "assemble"
    return "assemble" if name == "offer" and not _offers_anything(turn) else None


def _offers_anything(turn: Turn) -> bool:
    offered = turn.answers["offer"].offered
    return offered is not None and bool(offered.catalog)
