"""The ways of judging: a folder a protocol, and beside them what they share."""
