"""The shared parts of all protocols: the interface, replies, quoting, G-Eval, controls, bridges, one judgment."""
