"""From what the tiers answered to a ranking and a context: judged, fused, cut and packed. Pure."""
