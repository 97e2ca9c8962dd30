"""Texts to vectors: model cards, windows, the llama.cpp worker process and its client."""
