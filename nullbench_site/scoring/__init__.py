"""Records -> results: items, groups, boards, judges."""
