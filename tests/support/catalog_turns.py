"""Turns of an agent that chooses its memories from a catalog."""

from ragpp.api.hooks import TurnCatalog
from ragpp_services.governor.choosing import Chooser
from ragpp_services.governor.graph import Governor
from ragpp_services.governor.quoted_answer import quoted_answer
from ragpp_services.governor.responders import Responder
from ragpp_services.governor.values import Event
from tests.support.choosing import CatalogMemory
from tests.support.governor import NOON, PATIENT, heard

KEY = "The spare key is under the blue pot."
SHED = "The shed is locked on Sundays."
SONG = "Noor sings in a choir."
ASKED = "Where is the spare key?"


def governor_of(
    memory: CatalogMemory, respond: Responder = quoted_answer, choose: Chooser | None = None, **limits: int
) -> Governor:
    patient = PATIENT.model_copy(update=limits)
    return Governor(memory, respond, mode="catalog", choose=choose, limits=patient, clock=lambda: NOON)


def wants(*names: str) -> Chooser:
    def choose(_offered: TurnCatalog, _message: str) -> tuple[str, ...]:
        return names

    return choose


def came(identifier: str) -> Event:
    return heard("rain", message_type="tool_result", metadata={"tool_call_id": identifier})
