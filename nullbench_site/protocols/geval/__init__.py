"""G-Eval as far as it is ours: what is measured, by which steps, and what a judge's reply says.

metrics   the steps that the judge follows, and what it is shown
reply     what a reply says
"""
