"""The types of answer keys, one a module: its parameters, its reading of a response, its text for pages."""
