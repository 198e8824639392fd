"""The statistics of a leaderboard: pure functions on numbers and arrays.

No files, no clock, no network, no YAML and nothing else of `nullbench_site` is imported here; randomness
comes in as a seed.
One formula is one function, with its source in the docstring. "Not defined" is `None`, or a `Measure` that
says why; it is never 0 and never NaN.

    measure     a number, or the reason why there is none
    scores      valid replies and refusal gates; consistency over variants
    judges      marks and G-Eval -> one number; complete and lenient judges, judges and G-Eval compared
    agreement   Krippendorff's alpha; Spearman's correlation, with ties
    panel       judges as a sample: what other judges would say, severity, components of variance
    robustness  whether a difference is robust to the panel; how few items undo it; the smallest detectable difference
    estimate    means of groups and paired differences, with clustered errors and intervals; Student's t
    ranking     simultaneous comparisons of all pairs -> ranges of ranks, groups of ties; contrasts of groups of items
    preferences log probabilities -> preferences; win rates; position effect; points against a baseline
    strength    games of all pairs -> Bradley-Terry strengths, and what each item adds to them
    style_control win rates with the length or the style of answers taken out
    pairings    rings of three, and who meets whom on a budget
    logistic    logistic regressions along a lasso path
    comparison  the nearest of each contestant, those that none beats, the best corrected for being chosen
    telemetry   response times -> percentiles, stability, throughput; quality per second and per gigabyte
    trust       classes of a trust matrix
    arrays      types of arrays, and checks of arguments

Import from the modules, not from here: this file imports nothing, so that those who need only the modules on
plain numbers (`measure`, `scores`, `trust`) do not pay for numpy.
"""
