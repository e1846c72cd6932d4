"""The entries of the catalog that an agent is offered, scored term by term and packed into a budget that holds. Pure:
no store, no clock of its own, no tokenizer."""
