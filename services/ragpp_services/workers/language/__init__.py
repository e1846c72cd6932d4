"""Language: what one clause of a message tells, in words that can be read alone."""
