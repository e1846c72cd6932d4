"""From what a scan measured to scores: arrays in, arrays out. Each tier that searches texts by words and by meaning at
once ranks by them, so that their scores mean the same."""
