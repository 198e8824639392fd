"""What all tests share."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Laws are tried on fewer examples than the default hundred: the whole suite has twelve minutes on two cores.
# How long an example takes says how busy the machine is, and nothing about the program.
settings.register_profile("suite", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")
