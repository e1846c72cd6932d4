"""Intake: what a request brings, made ready for the tiers: redacted, and embedded once."""

from ragpp.redacting import Redaction
from ragpp_services.gateway.intake.knowledge import KnowledgeIntake, Whose
from ragpp_services.gateway.intake.messages import Intake

__all__ = ["Intake", "KnowledgeIntake", "Redaction", "Whose"]
