"""A generator of static leaderboard sites in which every number comes with its evidence.

The names in `__all__` are the library. They are stable: a release changes none of them without a note in the
changelog. Each is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nullbench_site.errors import NullbenchError, RunError, SpecError, UsageError
    from nullbench_site.interop.frames import rank
    from nullbench_site.library import Comparison, Run, open_run

__version__ = "0.1.0"
__all__ = ["Comparison", "NullbenchError", "Run", "RunError", "SpecError", "UsageError", "open_run", "rank"]

_MODULES = {name: "errors" if name.endswith("Error") else "library" for name in __all__}
_MODULES["rank"] = "interop.frames"


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
