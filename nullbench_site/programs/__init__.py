"""Contestants and judges without a model: functions of their inputs, for demonstrations and null floors.

Neither is a stand-in for a language model. Contestants extract, copy, refuse or ignore the request; judges
are heuristics whose descriptions say what they can and cannot see.
"""
