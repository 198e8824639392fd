"""The statistics of a leaderboard: pure functions on numbers and arrays.

These modules import nothing else of `nullbench_site`, and use no files, clock, network or YAML. A seed is an argument.
Each formula is one function, with its source in the docstring. An undefined value is `None`, or a `Measure` with the
reason; it is never 0 and never NaN.

measure     a number, or the reason why there is none
scores      valid replies and refusal gates; consistency over variants; log probabilities -> a preference
judges      marks and G-Eval -> one number; complete and lenient judges, judges and G-Eval compared
agreement   Krippendorff's alpha, Cohen's and Fleiss' kappa; Spearman's correlation, with ties
calibration scoring rules, calibration errors and temperature of confidences
reliability the reliability diagram, and what a calibrated model shows
constructs  correlations of tasks and boards, within constructs and across
panel       judges as a sample: scores under other judges, severity, components of variance
labels      a judge compared with labels, its scores corrected by them, and what labels are worth
bias        what a judge's scores owe to length, form, order, family and severity
best_of_n   the truth of a judge's favourite of n answers
robustness  whether a difference is robust to the panel; how few items undo it; the smallest detectable difference
estimate    means of groups and paired differences, with clustered errors and intervals; Student's t
ranking     simultaneous comparisons of all pairs -> ranges of ranks, groups of ties; contrasts of groups of items
preferences win rates; position effect; points against a baseline
strength    games of all pairs -> Bradley-Terry strengths, and the influence of each item on them
style_control win rates adjusted for the length or the style of answers
pairings    rings of three, and the choice of pairs on a budget
logistic    logistic regressions along a lasso path
comparison  nearest contestants, the Pareto frontier, and the best score corrected for its selection
telemetry   response times -> percentiles, stability, throughput; quality per second and per gigabyte
wording     scores of items by wording -> the standard deviation over wordings; Kendall's tau of two orders
contamination drops of scores after a date, compared with those of others
inflation   how much contaminated items raise a score
overlap     words and similarity that texts share with a corpus
trust       classes of a trust matrix
arrays      types of arrays, and checks of arguments

Import from the modules. This file imports nothing, so that users of measure.py, scores.py and trust.py do not load
numpy.
"""
