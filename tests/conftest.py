"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# A law is tried on few examples in `make test`; `make test-all` takes the other profile by --hypothesis-profile.
settings.register_profile("suite", max_examples=20, deadline=None)
settings.register_profile("large", max_examples=200, deadline=None)
settings.load_profile("suite")
