"""The `rubric` protocol: a mark of 1-5 for each answer, by what a good answer is; checks; G-Eval."""

IN_EVERY_DIGEST = True
