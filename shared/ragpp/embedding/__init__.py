"""Texts to vectors: one port, one file for each implementation, none of them loaded before it is asked for."""

from ragpp.embedding.port import Embedder, EmbeddingIdentity, FloatMatrix, SecondEncoder, check_identity

__all__ = ["Embedder", "EmbeddingIdentity", "FloatMatrix", "SecondEncoder", "check_identity"]
