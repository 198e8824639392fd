"""Live endpoints: contestants and judges on any server that speaks /v1/chat/completions."""
