"""What the results say about trust in the scores, in rows and words: a module for each part of a page."""
