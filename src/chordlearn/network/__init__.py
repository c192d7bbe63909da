"""The learned network: its structure, its tables, its drawings."""
