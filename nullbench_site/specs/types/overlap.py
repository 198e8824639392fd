"""specs/overlap/<board>.yaml: how far the items of a board occur in a corpus, as `nullbench-site overlap` found.

The corpora themselves are in no spec. Private items are in no table, as where their text occurs would reveal it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from nullbench_site.specs.types.common import Canary, Count, Id, Spec, Title
from nullbench_site.stats.trust import SEQUENCE

_Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$(?!\n)", description="A SHA-256 in hex.")]
_Number = Annotated[int, Meta(ge=0)]
_Similarity = Annotated[float, Meta(ge=-1, le=1)]


class Corpus(Spec, frozen=True, kw_only=True):
    """A file with text, or the text of another board, with which items were compared."""

    name: Annotated[Title, Meta(description="The name of the file without its folder, or 'board <id>'.")]
    sha256: _Sha256
    words: Annotated[_Number, Meta(description="How many words were read.")]
    skipped: Annotated[_Number, Meta(description="How many broken lines were not read, or read only in part.")] = 0
    training: (
        Annotated[
            Title,
            Meta(description="The training data that the file is from. Only such a corpus tests contamination."),
        ]
        | None
    ) = None


class Similarity(Spec, frozen=True, kw_only=True):
    """How the similarity to passages of the corpora was measured."""

    method: Annotated[
        Literal["tf-idf", "embeddings"],
        Meta(description="How texts are compared: by weighted words, or by embeddings of a model."),
    ]
    model: Annotated[Title, Meta(description="The model of the embeddings.")] | None = None
    passage_words: Annotated[Count, Meta(description="The words of a passage: the median of the items.")]


class OverlapItem(Spec, frozen=True, kw_only=True):
    """An item compared with the corpora. words: of what it asks, without its source text."""

    id: Id
    words: Annotated[_Number, Meta(description="The words of what it asks, without its source text.")]
    shared: Annotated[_Number, Meta(description="How many of its sequences of 13 words are in a corpus.")] = 0
    cosine: Annotated[_Similarity, Meta(description="Its highest cosine similarity to a passage.")] | None = None
    edit: Annotated[_Similarity, Meta(description="1 - its edit distance to the most similar passages.")] | None = None
    source_words: Annotated[_Number, Meta(description="The words of its source text.")] = 0
    source_shared: Annotated[_Number, Meta(description="As `shared`, of the source text.")] = 0


class OverlapFile(Spec, frozen=True, kw_only=True):
    """The overlap of a board with corpora. `nullbench-site overlap` writes this file; only the thresholds are yours.

    An item is contaminated if it shares `least_shared` sequences of 13 words with a corpus, or if a similarity is at
    least `tau`. It is not testable if it has fewer than 13 words and its similarity was not measured.
    """

    canary: Canary
    id: Annotated[Id, Meta(description="The id of the board.")]
    texts: Annotated[_Sha256, Meta(description="The digest of the texts of its public items when they were compared.")]
    least_shared: Annotated[
        Count, Meta(description="How many shared sequences of 13 words make an item contaminated.")
    ] = 1
    tau: Annotated[float, Meta(ge=0.5, le=1, description="0.85-0.95 is typical.")] = 0.9
    similarity: Similarity | None = None
    corpora: Annotated[tuple[Corpus, ...], Meta(min_length=1)]
    items: Annotated[tuple[OverlapItem, ...], Meta(min_length=1)]

    @property
    def training(self) -> tuple[Corpus, ...]:
        """Return the corpora that models were, or may have been, trained on."""
        return tuple(corpus for corpus in self.corpora if corpus.training is not None)

    def contaminated(self, item: OverlapItem) -> bool | None:
        """Return True if an item is in a corpus, False if it is not; None if it is not testable."""
        similar = [each for each in (item.cosine, item.edit) if each is not None]
        if item.words < SEQUENCE and not similar:
            return None
        return item.shared >= self.least_shared or any(each >= self.tau for each in similar)
