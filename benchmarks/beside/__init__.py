"""RAG++ beside the alternatives, in one run: `python -m benchmarks.beside`, see docs/benchmarks.md."""
