"""Many users straight into the stores, as the write path and the workers would have left them.

A few users are made by the real thing: their conversations, which a seed makes, are written over HTTP and digested, so
that every distinct text is embedded once. What the stores then hold of each is a mould, and further users are cast from
it: its rows by COPY, its graph by UNWIND, its keys by pipeline, under another user's names (`naming`). Nothing here
knows what the write path writes, only which columns name somebody or number something; a table that is not known is
refused. `python -m benchmarks.prove_seeding` compares users who were cast with users who were written, row by row.
"""
