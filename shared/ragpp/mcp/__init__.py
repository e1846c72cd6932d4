"""The memory as a server of the Model Context Protocol, for assistants that are other people's programs."""
