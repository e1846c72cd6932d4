"""What servers need before RAG++ can use them: roles, extension, accounts, schemas. The same for every shape."""
