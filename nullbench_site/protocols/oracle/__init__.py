"""The `oracle` protocol: answers are right or wrong by a key."""
