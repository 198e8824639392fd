"""Run folders: records, manifests, digests."""
