"""The embedded stack in one folder: the servers, the gateway and the workers as child processes, from packages
alone. It knows no terminal: progress goes to callbacks."""
