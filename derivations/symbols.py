"""The alphabet of the solution, defined once.

All symbols are positive reals (c may be zero), which is what the sign rules of `algebra` rest on.
"""

from sympy import Symbol

s = Symbol("s", positive=True)  # sequence length
d = Symbol("d", positive=True)  # head dimension
g = Symbol("g", positive=True)  # query heads that share one KV head
n = Symbol("n", positive=True)  # sequences that share one reading of the weights
c = Symbol("c", nonnegative=True)  # softmax FLOPs per element of the score matrix
b = Symbol("b", positive=True)  # bytes per element
I = Symbol("I", positive=True)  # noqa: E741  arithmetic intensity of a kernel, FLOP/B
I_ridge = Symbol("I_ridge", positive=True)  # ridge point, FLOP/B
P_m = Symbol("P_m", positive=True)  # matrix-core peak, FLOP/s
P_v = Symbol("P_v", positive=True)  # rate of the vector units, FLOP/s
P_e = Symbol("P_e", positive=True)  # rate of exponentials, 1/s
B = Symbol("B", positive=True)  # HBM bandwidth, B/s
n_heads = Symbol("n_heads", positive=True)  # query heads in the layer, over the whole batch
C = Symbol("C", positive=True)  # HBM capacity, B

ALPHABET = {symbol.name: symbol for symbol in (s, d, g, n, c, b, I, I_ridge, P_m, P_v, P_e, B, n_heads, C)}
