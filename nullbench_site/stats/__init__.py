"""The statistics of a leaderboard: pure functions on numbers and arrays.

No files, no clock, no network, no YAML and nothing else of `nullbench_site` is imported here; randomness
comes in as a seed.
One formula is one function, with its source in the docstring. "Not defined" is `None`, or a `Measure` that
says why; it is never 0 and never NaN.

    measure     a number, or the reason why there is none
    scores      what judges said -> the scores of an item, of a group, of a board; refusal gates; steadiness
    composite   judges' marks and G-Eval -> one number, and its price in tokens
    agreement   Krippendorff's alpha and its label; Spearman's correlation, with ties
    judges      complete and lenient judges, judges against each other and against G-Eval, judge-normalised scores
    panel       judges as a sample: what other judges would say, severity
    crossed     the study of contestants, items and judges: components of variance, absolute and relative error
    robustness  whether a difference is robust to the panel; the fewest items whose removal undoes a lead; the smallest
                difference that can be detected
    estimate    means of groups and paired differences, with clustered errors, degrees of freedom and intervals
    ranking     simultaneous comparisons of all pairs -> intervals of ranks, groups of ties, the possible best
    student     Student's t distribution
    preferences log probabilities -> preferences; win rates; what being shown first adds; who is better and how much ->
                points against a baseline; the bootstrap by row
    strength    games of all pairs -> Bradley-Terry strengths, and what each item adds to them
    style_control win rates with the length or the style of answers taken out
    pairings    rings of three, and who meets whom on a budget
    logistic    logistic regressions along a lasso path
    comparison  the nearest of each contestant, those that none beats, the best corrected for having been chosen
    telemetry   response times -> percentiles, stability, throughput; quality per second and per gigabyte
    trust       classes of a trust matrix
    arrays      what an array holds, for signatures and for the checks of arguments

Import from the modules, not from here: this file imports nothing, so that those who need only the modules on
plain numbers (`measure`, `scores`, `composite`, `trust`) do not pay for numpy.
"""
