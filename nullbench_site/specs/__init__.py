"""YAML under review -> one checked benchmark."""
