"""From a plan of calls to records of their answers."""
