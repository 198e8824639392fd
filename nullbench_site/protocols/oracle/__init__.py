"""The `oracle` protocol: answers are right or wrong by a key."""

IN_EVERY_DIGEST = True
