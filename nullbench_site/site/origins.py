"""Where the answers of a contestant come from, in words: badges, and what they do and do not say."""

from __future__ import annotations

from collections.abc import Mapping

from nullbench_site.specs.types import Origin

ORIGINS: Mapping[Origin, str] = {
    "asked": "A run of this benchmark asked for the answers. That it did is the word of whoever made the run.",
    "brought": "The answers came in a file. How they were asked for is the word of whoever brought them.",
    "self-reported": "Its spec says that whoever submits it reports the answers; nobody else asked for them.",
    "reproduced": "Its spec claims that the maintainers asked for the answers again. Nothing here checks the claim.",
    "signed": "Its spec claims that somebody signed for the answers. Nothing here verifies a signature.",
}
"""What each means, for readers."""
BADGES: Mapping[Origin, str] = {
    origin: f"{origin} (claim)" if origin in ("reproduced", "signed") else origin for origin in ORIGINS
}
"""What stands beside a name: what would speak for an answer if it were checked is called a claim."""
PROVES = "every file is the one that was sealed, byte for byte, and the results follow from the records"
"""What `verify` shows of a run."""
PROVES_NOT = (
    "where the records come from: who makes up answers and verdicts can seal them too, under the name of any vendor"
)
"""What it cannot show."""
