"""A response, read once for all checks of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from nullbench_site.checks.reading.folding import fold_plain, plain
from nullbench_site.checks.reading.markdown import Fence, lines_of, split_fences
from nullbench_site.checks.reading.words import Words, read_folded, word_count


@dataclass(frozen=True)
class Response:
    """The text of a response; each reading of it is made when a check first asks for it."""

    text: str

    @cached_property
    def empty(self) -> bool:
        """Whether it holds nothing but white space, control and invisible characters."""
        return not self.plain.strip()

    @cached_property
    def _lines(self) -> list[str]:
        return lines_of(self.text)

    @cached_property
    def plain(self) -> str:
        """The text as a reader sees it: straight quotes, nothing invisible; its lines end in \\n."""
        return plain("\n".join(self._lines))

    @cached_property
    def _plain_lines(self) -> list[str]:
        return self.plain.split("\n")

    @cached_property
    def _parts(self) -> tuple[list[int | None], list[Fence]]:
        return split_fences(self._lines)

    @property
    def fences(self) -> Sequence[Fence]:
        """The code blocks, as they were written."""
        return self._parts[1]

    @cached_property
    def prose(self) -> Sequence[str]:
        """The plain lines outside code blocks, an empty one in the place of each block."""
        if not self.fences:
            return self._plain_lines
        return ["" if at is None else self._plain_lines[at] for at in self._parts[0]]

    @cached_property
    def before_code(self) -> Words:
        """The words before the first code block."""
        if not self.fences:
            return self.words
        return read_folded(fold_plain("\n".join(self._plain_lines[: self._parts[0].index(None)])))

    @cached_property
    def folded(self) -> str:
        """The prose in the one spelling that patterns are in."""
        return fold_plain("\n".join(self.prose))

    @cached_property
    def words(self) -> Words:
        """The words of the prose, in lower case."""
        return read_folded(self.folded)

    @cached_property
    def code_words(self) -> Words:
        """The words of the code blocks, in lower case."""
        return read_folded(fold_plain(plain("\n\n".join(fence.code for fence in self.fences))))

    @property
    def all_words(self) -> tuple[Words, Words]:
        """The words of the prose and of the code: no pattern goes from one into the other."""
        return self.words, self.code_words

    @cached_property
    def word_count(self) -> int:
        """Words of the whole text, code included, as an editor counts them."""
        return word_count(self.plain)
