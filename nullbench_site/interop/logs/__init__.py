"""Logs of other evaluation tools: a module for each format, and what `rank` and the imports make of their samples."""
