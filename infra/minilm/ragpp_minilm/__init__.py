"""The files of all-MiniLM-L6-v2, in the folder `model`. There is nothing to import here."""
