"""The built-in heuristics, compiled."""
