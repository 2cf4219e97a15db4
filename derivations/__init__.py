"""The solution itself: every quantity, line of algebra, reason, table row and verdict, from SymPy alone."""
