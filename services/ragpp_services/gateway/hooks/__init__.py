"""The hooks: what an agent is offered, given and asked about in its turns."""
