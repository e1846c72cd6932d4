"""The names in a message, and the kinds of things they name; and the words for relatives, who are named by them."""
