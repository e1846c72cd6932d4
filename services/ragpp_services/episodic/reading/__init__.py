"""A text's features, read once when it is stored: what it tells and what it only asks, whether it says anything at all,
whom it is about, and which kinds of answer it holds. English; a text of another language tells all that it says.
"""
