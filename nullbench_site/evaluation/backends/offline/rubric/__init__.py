"""The offline judges of responses to bare prompts: rule sets that give 1-5 from a rubric.

They share one reading of the case (`reading`) and one arithmetic (`verdict`) and differ in what they measure:
`coverage` compares with the ideal answer, `compliance` with what was asked, `substance` looks at what is said at all.
"""

from collections.abc import Callable, Mapping

from .case import RubricCase
from .compliance import compliance
from .coverage import coverage
from .substance import substance

RUBRIC_JUDGES: Mapping[str, Callable[[RubricCase], str]] = {
    "compliance": compliance,
    "coverage": coverage,
    "substance": substance,
}
