"""The types of the spec files. JSON Schemas, validation and digests are all derived from them.

One Struct is one mapping of a file; unknown keys are refused. What a field means stands in its `Meta(description=...)`,
which reaches the JSON Schema and with it the editor of whoever writes a spec. Where somebody may put a key by mistake,
the schema says `writeOnly`, and no message repeats what stands there.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nullbench_site.specs.types.answerers import (
    Decoding,
    Endpoint,
    EndpointsFile,
    Gates,
    Judge,
    JudgesFile,
    Limits,
    ModelFile,
    Panel,
    Prices,
    Timeouts,
)
from nullbench_site.specs.types.axes import (
    DIMENSIONS,
    Aspect,
    AxesCategory,
    AxesDomainFile,
    AxesFile,
    AxesItem,
    Axis,
    Constraints,
    Dimension,
    Fact,
    FactKind,
    Goal,
    GoalsFile,
    Rule,
)
from nullbench_site.specs.types.benchmark import BenchmarkFile
from nullbench_site.specs.types.boards import (
    Aggregation,
    AxesBoardFile,
    BoardFile,
    Bootstrap,
    Composite,
    GEval,
    GEvalMetric,
    JudgedBoardFile,
    JudgedProfile,
    OracleBoardFile,
    Profile,
    RubricBoardFile,
    RubricProfile,
)
from nullbench_site.specs.types.common import (
    ID_FORM,
    SEEN,
    Category,
    Construct,
    Difficulty,
    DomainFile,
    Item,
    Parameter,
    Spec,
)
from nullbench_site.specs.types.private import HideableItem, PrivateText

if TYPE_CHECKING:
    from nullbench_site.specs.types.oracle import OracleCategory, OracleDomainFile, OracleItem, OracleText
    from nullbench_site.specs.types.rubric import RubricCategory, RubricDomainFile, RubricItem, RubricText

_LATER = {
    **dict.fromkeys(("OracleCategory", "OracleDomainFile", "OracleItem", "OracleText"), "oracle"),
    **dict.fromkeys(("RubricCategory", "RubricDomainFile", "RubricItem", "RubricText"), "rubric"),
}
"""Types whose modules import every check or answer key, which takes longer than all else a warm command does."""


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)


__all__ = [
    "DIMENSIONS",
    "ID_FORM",
    "SEEN",
    "Aggregation",
    "Aspect",
    "AxesBoardFile",
    "AxesCategory",
    "AxesDomainFile",
    "AxesFile",
    "AxesItem",
    "Axis",
    "BenchmarkFile",
    "BoardFile",
    "Bootstrap",
    "Category",
    "Composite",
    "Constraints",
    "Construct",
    "Decoding",
    "Difficulty",
    "Dimension",
    "DomainFile",
    "Endpoint",
    "EndpointsFile",
    "Fact",
    "FactKind",
    "GEval",
    "GEvalMetric",
    "Gates",
    "Goal",
    "GoalsFile",
    "HideableItem",
    "Item",
    "Judge",
    "JudgedBoardFile",
    "JudgedProfile",
    "JudgesFile",
    "Limits",
    "ModelFile",
    "OracleBoardFile",
    "OracleCategory",
    "OracleDomainFile",
    "OracleItem",
    "OracleText",
    "Panel",
    "Parameter",
    "Prices",
    "PrivateText",
    "Profile",
    "RubricBoardFile",
    "RubricCategory",
    "RubricDomainFile",
    "RubricItem",
    "RubricProfile",
    "RubricText",
    "Rule",
    "Spec",
    "Timeouts",
]
