"""What a speaker states about themselves: what they like and refuse, and how they wish to be answered."""
