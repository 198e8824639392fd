"""What a change of specs means before anybody pays for it: calls, money and ranks."""
