"""Tables in; tables, figures and reports out. Knows nothing of the engine."""
