"""The offline judges: rule sets that score a response from a case, and look at nothing else.

They share one reading of the case (`evidence`), one arithmetic (`verdict`) and differ in what they measure.
All three first ask whether the response is about the source at all; one that is not scores 1 on every axis
and 0 elsewhere, whatever it says.
"""

from collections.abc import Callable, Mapping

from .case import Case
from .form import FORM
from .restraint import RESTRAINT
from .support import SUPPORT

JUDGES: Mapping[str, Callable[[Case], str]] = {
    "form": FORM.reply,
    "restraint": RESTRAINT.reply,
    "support": SUPPORT.reply,
}
