"""The types of the spec files. JSON Schemas, validation and digests are all derived from them.

One Struct is one mapping of a file; unknown keys are errors. `Meta(description=...)` describes a field in the JSON
Schema and in editors. A field that may contain a key by mistake is `writeOnly`: messages never quote its value.
"""

from nullbench_site.specs.types.answerers import (
    PROGRAMS,
    RECORDED,
    Bridge,
    Decoding,
    Endpoint,
    EndpointsFile,
    Gates,
    Judge,
    JudgesFile,
    Limits,
    Mark,
    ModelFile,
    Origin,
    Panel,
    Prices,
    Provenance,
    Timeouts,
)
from nullbench_site.specs.types.boards import (
    PROFILES,
    BenchmarkFile,
    BoardFile,
    Bootstrap,
    Deed,
    JudgedBoardFile,
    JudgedProfile,
    LedgerEntry,
    LedgerFile,
    Profile,
)
from nullbench_site.specs.types.common import (
    ID_FORM,
    SEEN,
    Canary,
    Category,
    Construct,
    Count,
    Difficulty,
    DomainFile,
    Id,
    Item,
    Likert,
    Line,
    Parameter,
    PositiveNumber,
    PrivateText,
    PromptItem,
    PromptText,
    Prose,
    Spec,
    Title,
)
from nullbench_site.specs.types.controls import (
    CONTROLS,
    FALSIFICATIONS,
    LADDERS,
    PREFIX,
    REFERENCE,
    WHAT,
    Control,
    Controls,
    Damage,
    Falsification,
    damage_words,
    dose_words,
)

__all__ = [
    "CONTROLS", "FALSIFICATIONS", "ID_FORM", "LADDERS", "PREFIX", "PROFILES", "PROGRAMS", "RECORDED", "REFERENCE",
    "SEEN", "WHAT", "BenchmarkFile", "BoardFile", "Bootstrap", "Bridge", "Canary", "Category", "Construct",
    "Control", "Controls", "Count", "Damage", "Decoding", "Deed", "Difficulty", "DomainFile", "Endpoint",
    "EndpointsFile", "Falsification", "Gates", "Id", "Item", "Judge", "JudgedBoardFile", "JudgedProfile",
    "JudgesFile", "LedgerEntry", "LedgerFile", "Likert", "Limits", "Line", "Mark", "ModelFile", "Origin", "Panel",
    "Parameter", "PositiveNumber", "Prices", "PrivateText", "Profile", "PromptItem", "PromptText", "Prose",
    "Provenance", "Spec", "Timeouts", "Title", "damage_words", "dose_words",
]  # fmt: skip
