"""What in a message is a name, and of what kind of thing; and the words for relatives, who are named by them."""
