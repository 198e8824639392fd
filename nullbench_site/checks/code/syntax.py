"""Python source to its syntax tree, whatever the source."""

from __future__ import annotations

import ast
import warnings

# The parser takes time that grows faster than an f-string's fields do, and memory many times the source's.
MOST_CHARACTERS, MOST_BRACES = 60_000, 5_000


class UnparsableError(Exception):
    """The source cannot be parsed. `flag` and `why` are a Flag's."""

    def __init__(self, flag: str, why: str) -> None:
        super().__init__(why)
        self.flag = flag
        self.why = why


def parse(source: str) -> ast.Module:
    """The tree of `source`, which is neither compiled nor executed: compiling nested `finally` takes 2 to the power of
    its depth. Raises UnparsableError.
    """
    if len(source) > MOST_CHARACTERS:
        raise UnparsableError(
            "code_too_long", f"{len(source):,} characters of code, at most {MOST_CHARACTERS:,} are read"
        )
    if source.count("{") > MOST_BRACES:
        raise UnparsableError("code_too_complex", f"more than {MOST_BRACES:,} braces in the code")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (RecursionError, MemoryError):
        raise UnparsableError("code_too_complex", "the code is nested deeper than the parser can read") from None
    except SyntaxError as error:
        where = f" in line {error.lineno}" if error.lineno else ""
        raise UnparsableError("syntax_error", f"the code is no Python{where}") from None
    except ValueError:  # null characters, halves of characters
        raise UnparsableError("syntax_error", "the code holds characters that no program may") from None
