"""The base of checks: the response, the typed parameters and the result; and the checks that only judges do.

A check is a type of parameters with a function of a response. A spec gives its id as `type`, next to its parameters. A
missing, misspelt or wrong parameter is refused when the spec is read, before any response is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from typing import Annotated, ClassVar, Literal, cast, get_args, get_type_hints

import msgspec
from msgspec import Meta, Struct, defstruct

from nullbench_site.checks.patterns import pattern
from nullbench_site.checks.reading import (
    CodeBlock,
    Words,
    fold_plain,
    lines_of,
    plain,
    read_folded,
    split_fences,
    word_count,
)
from nullbench_site.packaged import data_parts
from nullbench_site.text import plural

Outcome = Literal["passed", "failed", "not-applicable"]


class Flag(msgspec.Struct, frozen=True):
    """One reason for a result: a short id for programs and a sentence for people and judges.

    The sentence has numbers and words of the spec, never words of the response: a response must not speak to the judge.
    """

    id: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.id}: {self.sentence}"


class Result(msgspec.Struct, frozen=True):
    """`failed` and `not-applicable` come with at least one flag that says why, `passed` with none."""

    outcome: Outcome
    flags: tuple[Flag, ...] = ()


def verdict(*flags: Flag | None) -> Result:
    """Return `failed` if there is a flag, else `passed`."""
    reasons = tuple(flag for flag in flags if flag is not None)
    return Result("failed" if reasons else "passed", reasons)


def failed(id: str, sentence: str) -> Result:
    """Return `failed` for one reason."""
    return Result("failed", (Flag(id, sentence),))


def not_applicable(id: str, sentence: str) -> Result:
    """Return the result of a check that does not apply, or has no evidence either way."""
    return Result("not-applicable", (Flag(id, sentence),))


def counted(number: int, noun: str) -> str:
    """Return `1 word`, `1,204 words`."""
    return plural(number, noun, thousands=",")


class ResponseText(msgspec.Struct, frozen=True, dict=True):
    """The text of a response. Each reading of it is made when a check first needs it."""

    text: str

    @cached_property
    def empty(self) -> bool:
        """Return True if there are only white space, control and invisible characters."""
        return not self.plain.strip()

    @cached_property
    def _lines(self) -> list[str]:
        return lines_of(self.text)

    @cached_property
    def plain(self) -> str:
        r"""Return the text as a reader sees it: straight quotes, no invisible characters, lines that end in \n."""
        return plain("\n".join(self._lines))

    @cached_property
    def _plain_lines(self) -> list[str]:
        return self.plain.split("\n")

    @cached_property
    def _parts(self) -> tuple[list[int | None], list[CodeBlock]]:
        return split_fences(self._lines)

    @property
    def fences(self) -> Sequence[CodeBlock]:
        """Return the code blocks, as they were written."""
        return self._parts[1]

    @cached_property
    def prose(self) -> Sequence[str]:
        """Return the plain lines outside code blocks, with an empty line for each block."""
        if not self.fences:
            return self._plain_lines
        return ["" if at is None else self._plain_lines[at] for at in self._parts[0]]

    @cached_property
    def before_code(self) -> Words:
        """Return the words before the first code block."""
        if not self.fences:
            return self.words
        return read_folded(fold_plain("\n".join(self._plain_lines[: self._parts[0].index(None)])))

    @cached_property
    def folded(self) -> str:
        """Return the prose in the spelling that patterns use."""
        return fold_plain("\n".join(self.prose))

    @cached_property
    def words(self) -> Words:
        """Return the words of the prose, in lower case."""
        return read_folded(self.folded)

    @cached_property
    def code_words(self) -> Words:
        """Return the words of the code blocks, in lower case."""
        return read_folded(fold_plain(plain("\n\n".join(fence.code for fence in self.fences))))

    @property
    def all_words(self) -> tuple[Words, Words]:
        """Return the words of the prose and of the code: a pattern never spans both."""
        return self.words, self.code_words

    @cached_property
    def word_count(self) -> int:
        """Return the number of words of the whole text, code included, as an editor counts them."""
        return word_count(self.plain)


def about(name: str) -> list[str]:
    """Return the texts of data/checks.txt about a type of check: its title, what it sees, what it cannot see."""
    return data_parts("checks.txt")[name].splitlines()


class Check(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True, tag_field="type"):
    """The base of all checks: the fields are its parameters, its tag is the id of its type.

    title, looks_at and cannot_see are for the methodology page. revision: increased when the check would decide
    differently; the default, when texts are read differently for all checks.
    """

    title: ClassVar[str]
    looks_at: ClassVar[str]
    cannot_see: ClassVar[str]
    automatic: ClassVar[bool] = True
    """True if a program decides; otherwise judges do."""
    revision: ClassVar[int] = 2

    def __post_init__(self) -> None:
        """Raise ValueError for the first parameter that is not a valid pattern."""
        for name in _patterns(type(self)):
            given = getattr(self, name)
            for text in (given,) if isinstance(given, str) else given:
                pattern(text)

    def check(self, response: ResponseText) -> Result:
        """Return the result for a response that is not empty. This is a pure function that takes linear time."""
        raise NotImplementedError

    @property
    def executes(self) -> bool:
        """Return True if it executes code of the response, which needs a sandbox."""
        return False

    @classmethod
    def type_id(cls) -> str:
        """Return the id of the type in specs."""
        return str(cls.__struct_config__.tag)


Line = Annotated[str, Meta(min_length=1, max_length=500)]
Prose = Annotated[str, Meta(min_length=1, max_length=20_000)]
Count = Annotated[int, Meta(ge=1, le=100_000)]
Whole = Annotated[int, Meta(ge=0, le=100_000)]
Share = Annotated[float, Meta(gt=0, le=1)]
_WORDS_IN_ORDER = Meta(
    min_length=1,
    max_length=200,
    description="Words in order, in one sentence; `..` stands for up to five words, `a|b` for either word, and a "
    "`*` at a word's end for any ending. Case, hyphens and emphasis do not matter.",
)
Pattern = Annotated[str, _WORDS_IN_ORDER]
Patterns = Annotated[tuple[Pattern, ...], Meta(max_length=100)]
SomePatterns = Annotated[tuple[Pattern, ...], Meta(min_length=1, max_length=100)]


@cache
def _patterns(kind: type[Check]) -> list[str]:
    """Return the parameters that are patterns, or lists of them."""
    hints = get_type_hints(kind, include_extras=True)
    return [name for name in kind.__struct_fields__ if _holds_patterns(hints[name])]


def _holds_patterns(hint: object) -> bool:
    return hint == _WORDS_IN_ORDER or any(map(_holds_patterns, get_args(hint)))


def at_least_one(check: Check, *names: str) -> None:
    """Raise ValueError if none of these parameters is given: a check without work is a mistake in the spec."""
    if not any(getattr(check, name) not in (None, (), False) for name in names):
        raise ValueError(f"needs at least one of {', '.join(names)}")


class JudgedCheck(Check, frozen=True):
    """The base of the types that no program checks. Judges see the prompt, ideal answer and criteria, and no flags."""

    automatic: ClassVar[bool] = False
    revision: ClassVar[int] = 1

    def check(self, response: ResponseText) -> Result:
        """Return that the check does not apply."""
        return not_applicable("left_to_judges", "no program checks this")


def _without_parameters(tag: str) -> type[JudgedCheck]:
    """Return a type without parameters; its name follows from its id."""
    title, looks_at, cannot_see = about(tag)
    own = {"title": title, "looks_at": looks_at, "cannot_see": cannot_see, "__doc__": f"Parameters of {tag}: none."}
    name = tag.title().replace("-", "")
    made = defstruct(name, [], bases=(JudgedCheck,), frozen=True, tag=tag, module=__name__, namespace=own)
    return cast("type[JudgedCheck]", made)


Analysis = _without_parameters("analysis")
Behavioural = _without_parameters("behavioural")
Calibration = _without_parameters("calibration")
Comparison = _without_parameters("comparison")
FormatCheck = _without_parameters("format-check")
Reasoning = _without_parameters("reasoning")
Synthesis = _without_parameters("synthesis")


class Checklist(JudgedCheck, frozen=True, tag="checklist"):
    """Parameters of checklist."""

    title, looks_at, cannot_see = about("checklist")

    items: Annotated[
        tuple[Line, ...], Meta(min_length=1, max_length=50, description="Points of a good answer, for the judges.")
    ]
