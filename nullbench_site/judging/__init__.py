"""What every protocol uses: the interface, replies, quoting, G-Eval, controls, bridges, one judgment."""
