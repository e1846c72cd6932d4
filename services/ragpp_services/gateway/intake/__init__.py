"""Intake: what a request brings, made ready for the tiers: redacted, and embedded once."""

from ragpp_services.gateway.intake.knowledge import KnowledgeIntake, Whose
from ragpp_services.gateway.intake.messages import Intake
from ragpp_services.gateway.intake.redacting import Redaction

__all__ = ["Intake", "KnowledgeIntake", "Redaction", "Whose"]
