"""What an agent is offered of the catalog: entries scored term by term, and packed into a budget that holds. Pure: no
store, no clock of its own, no tokenizer."""
