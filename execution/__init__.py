"""Attention executed at small sizes, counting every operation and every element moved: what the model is held against."""
