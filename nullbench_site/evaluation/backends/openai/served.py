"""Whether the model that answered is the one that was asked."""

from __future__ import annotations

import re

# The date or number of a snapshot, or the tag that stands for the newest.
_SNAPSHOT = re.compile(r"(?:-\d{4}-\d{2}-\d{2}|-\d{8}|-\d{4}|-\d{3}|@\d{8}|[-:]latest)$")


def same_model(asked: str, served: str) -> bool:
    """Whether the two names may be of one model: apart from a provider before it and a snapshot after it.

    Two different snapshots are two models.
    """
    if asked == served:
        return True
    asked, served = _bare(asked), _bare(served)
    return served in {asked, _SNAPSHOT.sub("", asked)} or _SNAPSHOT.sub("", served) == re.sub("[-:]latest$", "", asked)


def _bare(name: str) -> str:
    return name.rsplit("/", 1)[-1].lower()
