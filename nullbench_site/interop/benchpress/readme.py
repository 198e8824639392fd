"""The README of an imported repository: where it comes from, what was imported how, what to do next."""

from __future__ import annotations

import re

from nullbench_site.interop.benchpress.reading import Checkout
from nullbench_site.interop.benchpress.specs import HOMEPAGE, licence_line

_README = """\
# BenchPress, imported

Prompts, recorded answers, verdicts of judges and G-Eval scores of BenchPress ({homepage}), commit {commit}.
Imported with `nullbench-site import benchpress`; the scores are worked out anew from the recorded verdicts.
Licence of the data: {licence}.

`nullbench-site build` renders `site/` and asks nobody; `nullbench-site serve` shows it; `nullbench-site verify` checks
that the run in `runs/` is what was sealed and that the results follow from it.

## How it was imported

* A category is a domain, a subcategory a category. Ids are theirs in lower case, with hyphens.
* A model is its own family, as with BenchPress: a judge never scores itself. The newest answer to a prompt is sample 0,
  the one before it sample 1, and so on; the board counts sample 0 alone.
* A verdict without a whole score from 1 to 5, or none where the panel should have one, is kept as unparsed. Scores of
  DeepEval are one judgment of the judge `deepeval`; a metric without a score is named as invalid in it.
* What BenchPress' automatic checks flagged stands in each response as it was recorded. Flags are words of BenchPress,
  cut to one line.
* Where BenchPress gives no parameter that a check of ours needs, it is made from the prompt's own words: patterns of a
  wrong position, a trap or a claim are those words in their order; a text to shorten is the whole prompt, and half of
  it may be left; an experiment is taken to be not significant. It matters only where answers are asked for anew: then
  give the checks better ones.
* Keys and tokens in recorded errors are taken out.

The specs are those of recorded answers: the backend `recorded` cannot ask a model or a judge anything new.
"""


def readme(checkout: Checkout) -> str:
    """The text of README.md."""
    # The line is anybody's: escaped, it makes no link, image or element.
    licence = re.sub(r"[\\`*_\[\]<>&!]", r"\\\g<0>", licence_line(checkout.licence))
    return _README.format(homepage=HOMEPAGE, commit=checkout.commit or "unknown", licence=licence)
