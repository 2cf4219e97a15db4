"""Attention executed at small sizes, counting operations and elements moved: what the model is held against."""
