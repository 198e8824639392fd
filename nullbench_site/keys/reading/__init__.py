"""Reading the answer of a response: what it says outside its thinking, which of it is an answer, and amounts."""
