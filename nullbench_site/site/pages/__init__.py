"""One module a kind of page: from results to the rows that its template shows."""
