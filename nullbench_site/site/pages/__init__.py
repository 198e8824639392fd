"""One module a kind of page: results -> what its template is given, numbers already in words."""
