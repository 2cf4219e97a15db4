"""From a parameter file to the solution manual: everything that is neither a derivation nor a figure."""
