"""The protocols: one folder for each way of judging."""
