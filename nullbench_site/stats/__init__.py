"""The statistics of a leaderboard: pure functions on numbers and arrays.

No files, no clock, no network, no YAML and nothing else of `nullbench_site` is imported here; randomness
comes in as a seed.
One formula is one function, with its source in the docstring. "Not defined" is `None`, or a `Measure` that
says why; it is never 0 and never NaN.

    measure        a number, or the reason why there is none
    scores         judges' scores -> the scores of an item, of a group, of a board
    agreement      Krippendorff's alpha and its label
    normalisation  a judge's own mean and spread -> judge-normalised scores
    interval       standard errors by source text, and the intervals they give
    ranking        paired bootstrap -> intervals of ranks, groups of ties
    telemetry      response times -> percentiles, stability, throughput
    resources      quality per second and per gigabyte
    refusal        which judges sit at a refusal gate, and when it fires
    accuracy       answers marked by a key -> accuracy, its interval, consistency of bundles
    floor          the best null model, and who is above it
    composite      judges' marks and G-Eval -> one number, and its price in tokens
    marks          complete and lenient judges, judges against each other and against G-Eval
    correlation    Spearman's, with ties
    paired         two contestants on the same items -> their difference, and how sure it is
    pareto         costs and qualities -> the points that none beats
    fingerprint    profiles -> the nearest of each
    trust          figures -> classes of a trust matrix
    arrays         what an array holds, for signatures

Import from the modules, not from here: this file imports nothing, so that those who need only the modules on
plain numbers (`scores`, `refusal`, `resources`, `floor`, `composite`, `pareto`, `trust`) do not pay for numpy.
"""
