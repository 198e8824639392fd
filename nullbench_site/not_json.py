"""What reading JSON raises; apart from the errors of ours, so that `--version` need not import msgspec."""

from __future__ import annotations

import msgspec

NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises of bytes that are no JSON of a type, or that are nested too deeply."""
