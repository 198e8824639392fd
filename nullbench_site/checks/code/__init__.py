"""Code in responses: whether it parses, and whether it runs in a sandbox."""
