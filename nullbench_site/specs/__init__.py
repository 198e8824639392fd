"""Spec files -> one checked benchmark."""
