"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# Laws are tried on fewer examples than the default hundred: the whole suite has twelve minutes on two cores.
settings.register_profile("suite", max_examples=40)
settings.load_profile("suite")
