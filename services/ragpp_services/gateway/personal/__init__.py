"""Personal data at the border: which policy holds for whom, and how a request is held to it."""
