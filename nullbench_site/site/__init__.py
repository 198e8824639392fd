"""Results -> pages, charts and data files."""
