"""Social cards: a picture of each contestant and each board, for links to them that are shared elsewhere."""
