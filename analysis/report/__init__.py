"""Reports: one self-contained page, the same numbers as JSON, and a text block."""
