"""G-Eval as the package deepeval does it: a judge scores one response on one metric, 0-1, in one call.

The call is ours, so that it is counted, cached and resumed like every other. deepeval writes the
prompt and makes a score of the reply. It is not installed with nullbench-site, and importing this package does not
import it. What is measured, and how a reply is read, stands in `protocols.geval`.

    installed      whether deepeval is here, in the version that we know
    quiet          deepeval imported so that it sends, writes, reads and prints nothing
    conversation   one measurement by deepeval, stopped where it asks its model
    measuring      prompt, ideal and response -> score
"""

from nullbench_site.evaluation.geval.installed import missing
from nullbench_site.evaluation.geval.measuring import Case, Measured, measured, prepare, worded

__all__ = ["Case", "Measured", "measured", "missing", "prepare", "worded"]
