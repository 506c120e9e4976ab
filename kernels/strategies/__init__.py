"""The built-in strategies: each is three compiled functions (see ``asking``)."""
