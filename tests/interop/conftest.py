from interop.checkouts import source

__all__ = ["source"]
