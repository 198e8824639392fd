"""What all tests share."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is, and nothing about the program.
_UNHURRIED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
# A law is tried on few examples in `make test`; `make test-all` takes the other profile by --hypothesis-profile.
settings.register_profile("suite", max_examples=20, **_UNHURRIED)
settings.register_profile("large", max_examples=200, **_UNHURRIED)
settings.load_profile("suite")
