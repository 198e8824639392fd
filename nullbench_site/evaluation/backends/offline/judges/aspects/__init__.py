"""One module per aspect: a function from the evidence to a Measure."""
