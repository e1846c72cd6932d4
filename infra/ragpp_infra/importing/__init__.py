"""Conversations as other programs export them, read into ours: which kind a file is, its messages, what is left out.

Pure but for the reading of the file. A new format is a module, its name in `reading.Kind`, and a line in `kinds`.
"""
