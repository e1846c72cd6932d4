"""The preferences that a speaker states: what they like and refuse, and how they wish to be answered."""
