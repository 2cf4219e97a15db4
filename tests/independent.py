"""The exercise solved a second time, by other means: counting, finite differences and search, in whole numbers and
fractions.

Nothing of the project is imported here, and none of its closed forms is repeated. FLOPs and elements are sums over
kernels; a limit is read off from differences of these sums; a threshold is found by bisection; a time is the longer
of the time of the work and that of the traffic. The parameter file is read anew, with `tomllib`.
"""

import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

MEMORY_BOUND, COMPUTE_BOUND = "memory-bound", "compute-bound"
TERA, GIGA = 10**12, 10**9

Number = int | Fraction
Function = Callable[[Number], Fraction]
Formula = Callable[[Number, Number, Number], Fraction]  # of s, d and g


# ---- What is counted


@dataclass(frozen=True)
class Kernel:
    """FLOPs, and the elements of every tensor that the kernel reads from or writes to HBM."""

    flops: Fraction
    reads: dict[str, Number]
    writes: dict[str, Number]

    @property
    def elements(self) -> Number:
        return sum(self.reads.values()) + sum(self.writes.values())


Path = tuple[Kernel, ...]


def flops(path: Path) -> Fraction:
    return Fraction(sum(kernel.flops for kernel in path))


def elements(path: Path) -> Fraction:
    return Fraction(sum(kernel.elements for kernel in path))


@dataclass(frozen=True)
class Case:
    """A parameter file in base units: FLOP/s, B/s, B."""

    peak: Fraction
    bandwidth: Fraction
    capacity: Fraction
    vector_rate: Fraction | None
    exp_rate: Fraction | None
    b: Fraction
    c: Fraction
    d: Number
    s: int
    heads_in_layer: int  # over the whole batch
    batch: int
    heads: int
    ratio_lengths: tuple[int, ...]
    intensity_lengths: tuple[int, ...]
    group_sizes: tuple[int, ...]

    @classmethod
    def read(cls, text: str) -> "Case":
        file = tomllib.loads(text, parse_float=Fraction)
        device, workload, layer, tables = file["device"], file["workload"], file["layer"], file["tables"]

        def rate(key: str) -> Fraction | None:
            return Fraction(device[key]) * TERA if key in device else None

        return cls(
            peak=Fraction(device["peak_tflops_per_s"]) * TERA,
            bandwidth=Fraction(device["bandwidth_tb_per_s"]) * TERA,
            capacity=Fraction(device["capacity_gb"]) * GIGA,
            vector_rate=rate("vector_tflops_per_s"),
            exp_rate=rate("exp_tops_per_s"),
            b=Fraction(workload["bytes_per_element"]),
            c=Fraction(workload["softmax_flops_per_element"]),
            d=workload["head_dim"],
            s=workload["sequence_length"],
            heads_in_layer=sum(layer["heads"] for _ in range(1)) * layer["batch"],
            batch=layer["batch"],
            heads=layer["heads"],
            ratio_lengths=tuple(tables["traffic_ratio_sequence_lengths"]),
            intensity_lengths=tuple(tables["intensity_sequence_lengths"]),
            group_sizes=tuple(tables["query_group_sizes"]),
        )

    @property
    def ridge(self) -> Fraction:
        return self.peak / self.bandwidth

    def kernels(self, queries: Number, keys: Number, kept: Number = 1) -> Path:
        """One KV head, unfused: `queries` rows against `keys` rows; of the scores the share `kept` exists."""
        scores = queries * keys * kept
        return (
            Kernel(
                scores * _dot_product(self.d), {"Q": queries * self.d, "K": keys * self.d}, {"S": scores}
            ),
            Kernel(scores * self.c, {"S": scores}, {"P": scores}),
            Kernel(
                queries * self.d * _dot_product(keys * kept),
                {"P": scores, "V": keys * self.d},
                {"O": queries * self.d},
            ),
        )

    def fused(self, queries: Number, keys: Number, kept: Number = 1) -> Path:
        """The same work in one kernel, of which HBM sees Q, K, V and O."""
        rows = {"Q": queries, "K": keys, "V": keys}
        reads = {name: count * self.d for name, count in rows.items()}
        return (Kernel(flops(self.kernels(queries, keys, kept)), reads, {"O": queries * self.d}),)

    def intensity(self, path: Path) -> Fraction:
        return flops(path) / (elements(path) * self.b)

    def work_time(self, path: Path) -> Fraction:
        return flops(path) / self.peak

    def traffic_time(self, path: Path) -> Fraction:
        return elements(path) * self.b / self.bandwidth

    def time(self, path: Path) -> Fraction:
        """What the slower of the two takes."""
        return max(self.work_time(path), self.traffic_time(path))

    def rate(self, path: Path) -> Fraction:
        return flops(path) / self.time(path)

    def compute_bound(self, path: Path) -> bool:
        return self.work_time(path) >= self.traffic_time(path)

    def verdict(self, path: Path) -> str:
        return COMPUTE_BOUND if self.compute_bound(path) else MEMORY_BOUND

    def verdict_of_intensity(self, intensity: Fraction) -> str:
        return COMPUTE_BOUND if intensity * self.bandwidth >= self.peak else MEMORY_BOUND

    def excess(self, path: Path) -> Fraction:
        """FLOPs beyond those that the matrix cores could do in the time of the traffic: 0 on the ridge."""
        return flops(path) - self.ridge * elements(path) * self.b

    # The seven paths of the exercise, over their lengths.

    def prefill(self, s: Number) -> Path:
        return self.kernels(s, s)

    def prefill_fused(self, s: Number) -> Path:
        return self.fused(s, s)

    def causal(self, s: Number) -> Path:
        return self.kernels(s, s, Fraction(1, 2))

    def causal_fused(self, s: Number) -> Path:
        return self.fused(s, s, Fraction(1, 2))

    def triangle_fused(self, s: Number) -> Path:
        """Exactly the entries on and below the diagonal."""
        return self.fused(s, s, Fraction(s + 1) / (2 * s))

    def decode(self, s: Number) -> Path:
        return self.kernels(1, s)

    def decode_fused(self, s: Number) -> Path:
        return self.fused(1, s)

    def grouped(self, s: Number, g: Number) -> Path:
        return self.fused(g, s)


def _dot_product(length: Number) -> Number:
    """Multiplications and as many additions."""
    return length + length


# ---- Limits and thresholds


def limit(above: Function, below: Function) -> Fraction:
    """The limit of above(n)/below(n), two polynomials of one degree: that of their highest differences."""
    for degree in (2, 1):
        if (leading := _difference(below, degree)) != 0:
            return _difference(above, degree) / leading
    raise ValueError("the denominator does not grow")


def _difference(polynomial: Function, degree: int) -> Fraction:
    values = [polynomial(n) for n in range(1, degree + 2)]
    while len(values) > 1:
        values = [later - earlier for earlier, later in pairwise(values)]
    return values[0]


def smallest(holds: Callable[[int], bool]) -> int:
    """The smallest n >= 1 with holds(n), which must hold from some n on."""
    high = 1
    while not holds(high):
        high *= 2
        if high > 10**80:
            raise ValueError("nothing found")
    low = high // 2  # does not hold there, or is 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def largest(holds: Callable[[int], bool]) -> int:
    """The largest n >= 1 with holds(n), which must fail from some n on; 0 where it fails from the start."""
    return smallest(lambda n: not holds(n)) - 1


def root(line: Function) -> Fraction | None:
    """Where a linear function is zero; None where it is constant."""
    first, slope = line(1), line(2) - line(1)
    assert line(5) == first + 4 * slope, "not linear"
    return 1 - first / slope if slope else None


# ---- The contract


@dataclass(frozen=True)
class Answer:
    """What quantities.json must say under one ID. `has_exact` tells a null from an absent number."""

    unit: str
    formula: Formula | None = None
    exact: Fraction | None = None
    has_exact: bool = False
    verdict: str | None = None


def answers(case: Case) -> dict[str, Answer]:
    """Every ID of the contract, and no other."""
    return dict(_contract(case))


def _formula(unit: str, formula: Formula) -> Answer:
    return Answer(unit, formula=formula)


def _exact(unit: str, exact: Number | None, verdict: str | None = None, formula: Formula | None = None) -> Answer:
    return Answer(unit, formula, None if exact is None else Fraction(exact), True, verdict)


def _contract(case: Case) -> Iterator[tuple[str, Answer]]:
    def of(d: Number) -> Case:
        return replace(case, d=d)

    def stage(number: int) -> Callable[[Number, Number], Kernel]:
        return lambda s, d: of(d).prefill(s)[number]

    for number, name in enumerate(("scores", "softmax", "values")):
        kernel = stage(number)
        yield f"A1.flops_{name}", _formula("FLOP", lambda s, d, g, kernel=kernel: kernel(s, d).flops)
        yield f"B1.elements_{name}", _formula("elements", lambda s, d, g, kernel=kernel: kernel(s, d).elements)
    yield "A1.flops_total", _formula("FLOP", lambda s, d, g: flops(of(d).prefill(s)))

    def softmax_share(s: Number, d: Number) -> Fraction:
        path = of(d).prefill(s)
        return path[1].flops / flops(path)

    yield "A2.softmax_share", _exact("1", softmax_share(case.s, case.d), None, lambda s, d, g: softmax_share(s, d))
    yield "B1.elements_total", _formula("elements", lambda s, d, g: elements(of(d).prefill(s)))
    yield "B1.bytes_unfused", _formula("B", lambda s, d, g: elements(of(d).prefill(s)) * case.b)
    yield "B2.elements_fused", _formula("elements", lambda s, d, g: elements(of(d).prefill_fused(s)))
    yield "B2.bytes_fused", _formula("B", lambda s, d, g: elements(of(d).prefill_fused(s)) * case.b)

    def traffic_ratio(s: Number, d: Number) -> Fraction:
        return elements(of(d).prefill(s)) / elements(of(d).prefill_fused(s))

    yield "B3.traffic_ratio", _formula("1", lambda s, d, g: traffic_ratio(s, d))
    for length in case.ratio_lengths:
        yield f"B3.traffic_ratio[{length}]", _exact("1", traffic_ratio(length, case.d))

    yield "C1.intensity_unfused", _formula("FLOP/B", lambda s, d, g: of(d).intensity(of(d).prefill(s)))
    yield "C3.intensity_fused", _formula("FLOP/B", lambda s, d, g: of(d).intensity(of(d).prefill_fused(s)))
    yield (
        "C2.intensity_unfused_limit",
        _exact("FLOP/B", unfused_limit(case), None, lambda s, d, g: unfused_limit(of(d))),
    )
    for length in case.intensity_lengths:
        yield f"C4.intensity_unfused[{length}]", _intensity(case, case.prefill(length))
        yield f"C4.intensity_fused[{length}]", _intensity(case, case.prefill_fused(length))

    yield "D1.ridge", _exact("FLOP/B", case.ridge)
    yield from _thresholds(case)
    yield from _reference(case)
    yield from _footprint(case)

    yield "F1.intensity_unfused_causal", _formula("FLOP/B", lambda s, d, g: of(d).intensity(of(d).causal(s)))
    yield "F1.intensity_fused_causal", _formula("FLOP/B", lambda s, d, g: of(d).intensity(of(d).causal_fused(s)))
    yield "F2.intensity_decode_fused", _formula("FLOP/B", lambda s, d, g: of(d).intensity(of(d).decode_fused(s)))
    yield "F2.intensity_decode_unfused", _formula("FLOP/B", lambda s, d, g: of(d).intensity(of(d).decode(s)))
    yield "F2.limit_fused", _exact("FLOP/B", decode_limit(case, case.decode_fused))
    yield "F2.limit_unfused", _exact("FLOP/B", decode_limit(case, case.decode))
    yield "F2.fusion_gain_limit", _exact("1", fusion_gain_limit(case))
    yield "F3.intensity_decode_grouped", _formula("FLOP/B", lambda s, d, g: of(d).intensity(of(d).grouped(s, g)))
    yield "F3.limit_grouped", _formula("FLOP/B", lambda s, d, g: grouped_limit(of(d), g))
    for size in case.group_sizes:
        at_limit = grouped_limit(case, size)
        yield f"F3.limit_grouped[{size}]", _exact("FLOP/B", at_limit, case.verdict_of_intensity(at_limit))


def _intensity(case: Case, path: Path) -> Answer:
    return _exact("FLOP/B", case.intensity(path), case.verdict(path))


def _thresholds(case: Case) -> Iterator[tuple[str, Answer]]:
    yield "D2.crossover", _exact("1", crossover(case, case.prefill_fused))
    yield "D2.min_sequence_length", _exact("1", min_length(case, case.prefill_fused))
    reaches = unfused_limit(case) > case.ridge
    yield "D3.crossover", _exact("1", crossover(case, case.prefill) if reaches else None)
    yield "D3.min_sequence_length", _exact("1", min_length(case, case.prefill) if reaches else None)
    yield "D3.min_head_dim", _exact("1", min_head_dim(case))
    yield "F1.crossover", _exact("1", crossover(case, case.causal_fused))
    yield "F1.min_sequence_length", _exact("1", min_length(case, case.causal_fused))
    yield "F3.min_group_size", _exact("1", min_group_size(case))
    yield "F3.min_group_size_at_sequence_length", _exact("1", min_group_size_at_reference(case))


def _reference(case: Case) -> Iterator[tuple[str, Answer]]:
    paths = {"unfused": case.prefill(case.s), "fused": case.prefill_fused(case.s)}
    for name, path in paths.items():
        yield f"D4.intensity_{name}", _intensity(case, path)
        yield f"D4.rate_{name}", _exact("FLOP/s", case.rate(path), case.verdict(path))
        yield f"D4.time_{name}", _exact("s", case.time(path))
    yield "D4.speedup", _exact("1", case.time(paths["unfused"]) / case.time(paths["fused"]))


def _footprint(case: Case) -> Iterator[tuple[str, Answer]]:
    yield "E1.score_bytes_head", _exact("B", score_bytes(case, case.s))
    yield "E1.score_bytes_layer", _exact("B", layer_bytes(case, case.s))
    yield "E1.capacity_share", _exact("1", layer_bytes(case, case.s) / case.capacity)
    yield "E1.max_sequence_length", _exact("1", longest_that_fits(case))
    yield "E2.peak_share_unfused_limit", _exact("1", peak_share(case, unfused_limit(case)))


# ---- Numbers behind more than one answer


def unfused_limit(case: Case) -> Fraction:
    return limit(lambda s: flops(case.prefill(s)), lambda s: elements(case.prefill(s)) * case.b)


def decode_limit(case: Case, path: Callable[[Number], Path]) -> Fraction:
    return limit(lambda s: flops(path(s)), lambda s: elements(path(s)) * case.b)


def fusion_gain_limit(case: Case) -> Fraction:
    """Unfused over fused bytes of decode, as the cache grows."""
    return limit(lambda s: elements(case.decode(s)), lambda s: elements(case.decode_fused(s)))


def grouped_limit(case: Case, g: Number) -> Fraction:
    return limit(lambda s: flops(case.grouped(s, g)), lambda s: elements(case.grouped(s, g)) * case.b)


def grouped_ceiling(case: Case) -> Fraction:
    """What the intensity of grouped decode tends to at the reference s, as the group grows."""
    return limit(lambda g: flops(case.grouped(case.s, g)), lambda g: elements(case.grouped(case.s, g)) * case.b)


def crossover(case: Case, path: Callable[[Number], Path]) -> Fraction | None:
    """The real s at which a prefill path is on the ridge, negative or None where no s > 0 is.

    Work and traffic have a factor s in common; what is left of the excess is linear in s.
    """
    return root(lambda s: case.excess(path(s)) / s)


def min_length(case: Case, path: Callable[[Number], Path]) -> int:
    return smallest(lambda s: case.compute_bound(path(s)))


def min_head_dim(case: Case) -> int:
    """The smallest d whose unfused limit lies above the ridge, so that some s goes past it."""
    return smallest(lambda d: unfused_limit(replace(case, d=d)) > case.ridge)


def min_group_size(case: Case) -> int:
    return smallest(lambda g: grouped_limit(case, g) >= case.ridge)


def min_group_size_at_reference(case: Case) -> int | None:
    if grouped_ceiling(case) <= case.ridge:
        return None
    return smallest(lambda g: case.compute_bound(case.grouped(case.s, g)))


def score_bytes(case: Case, s: int) -> Fraction:
    return case.kernels(s, s)[0].writes["S"] * case.b


def layer_bytes(case: Case, s: int) -> Fraction:
    return score_bytes(case, s) * case.heads * case.batch


def longest_that_fits(case: Case, matrices: int = 1) -> int:
    return largest(lambda s: matrices * layer_bytes(case, s) <= case.capacity)


def peak_share(case: Case, intensity: Fraction) -> Fraction:
    return min(Fraction(1), intensity * case.bandwidth / case.peak)


def all_equal(items: Iterable[object]) -> bool:
    return len(set(items)) <= 1
