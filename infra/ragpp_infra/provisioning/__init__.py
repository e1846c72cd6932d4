"""The needs of servers before RAG++ can use them: roles, extension, accounts, schemas. The same for every shape."""
