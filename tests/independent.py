"""The exercise solved a second time, by other means: counting, finite differences and search, in whole numbers and
fractions.

Nothing of the project is imported here, and none of its closed forms is repeated. FLOPs and elements are sums over
kernels; a limit is read off from differences of these sums; a threshold is found by bisection; a time is the longer
of the time of the work and that of the traffic. The parameter file is read anew, with `tomllib`.
"""

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
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
            Kernel(scores * _dot_product(self.d), {"Q": queries * self.d, "K": keys * self.d}, {"S": scores}),
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


@lru_cache(maxsize=8)
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


# ---- Everything else that the solution says: its other numbers and each of its claims


def leaves(case: Case) -> dict[str, object]:
    """What must stand at each place of the solved exercise, by its dotted path, "intensity.rows[0].unfused.verdict".

    A number, a formula of s, d and g, None, or a claim: a truth value, or the name of the case that holds.
    """
    found: dict[str, object] = {}
    parts = (_flops, _softmax_units, _traffic, _intensities, _classification, _layer_in_memory)
    for part in (*parts, _causal, _decode, _grouped):
        for path, value in part(case):
            assert path not in found, path
            found[path] = value
    return found


Leaves = Iterator[tuple[str, object]]


def _flops(case: Case) -> Leaves:
    contract = answers(case)
    scores, softmax, values = path = case.prefill(case.s)
    for name in ("scores", "softmax", "values", "total"):
        yield f"flops.{name}", contract[f"A1.flops_{name}"].formula
    share = softmax.flops / flops(path)
    yield "flops.reference_total", flops(path)
    yield "flops.share", share
    yield "flops.share_in_head_dim", contract["A2.softmax_share"].formula
    # Negligible is at most five in a hundred.
    yield "flops.share_size", _first(ABSENT=share == 0, NEGLIGIBLE=100 * share <= 5, SIZEABLE=True)
    outputs = scores.writes["S"] + values.writes["O"]  # each of them a sum that could do with one addition less
    yield "flops.exact_adds_share", outputs / flops(path)
    yield "flops.head_dim_at_tenth", _head_dim_where_softmax_is(case, Fraction(1, 10))
    yield "flops.head_dim_at_half", _head_dim_where_softmax_is(case, Fraction(1, 2))
    products = scores.flops + values.flops
    yield "flops.below_tenth_head_dim", 10 * softmax.flops > flops(path)
    yield "flops.below_half_head_dim", softmax.flops > flops(path) - softmax.flops
    at_one = replace(case, d=1).prefill(1)
    yield "flops.half_below_one", case.c > 0 and 2 * at_one[1].flops < flops(at_one)
    yield "flops.slowdown_at_parity", products / softmax.flops if softmax.flops else None
    yield "flops.parity_on_equal_units", case.c > 0 and softmax.flops >= products
    yield "flops.product_flops_per_score", products / scores.writes["S"]
    yield "flops.five_operations", case.c == len(("compare", "subtract", "exp", "accumulate", "divide"))
    traffic_share = softmax.elements / elements(path)
    yield "flops.softmax_traffic_share", traffic_share
    yield "flops.softmax_traffic_negligible", 100 * traffic_share <= 5


def _softmax_units(case: Case) -> Leaves:
    """One exponential an element on its own units, the rest of the softmax on the vector units."""
    place = "softmax_units"
    path = case.prefill(case.s)
    scores = path[0].writes["S"]
    work = {}
    left = case.c
    if case.exp_rate:
        work["special-function units"] = ("exponential", Fraction(1), case.exp_rate)
        left -= 1
    if case.vector_rate and left > 0:
        work["vector units"] = ("FLOP", left, case.vector_rate)
    if not work:
        yield place, None
        return
    products = (path[0].flops + path[2].flops) / case.peak
    traffic = case.traffic_time(case.prefill_fused(case.s))
    times = {name: scores * count / rate for name, (_, count, rate) in work.items()}
    slowest = max(times, key=lambda name: times[name])
    for at, name in [
        *((f"{place}.units[{row}]", name) for row, name in enumerate(work)),
        (f"{place}.slowest", slowest),
    ]:
        yield f"{at}.name", name
        operation, count, rate = work[name]
        yield f"{at}.operation", operation
        yield f"{at}.operations_per_score", count
        yield f"{at}.rate_per_s", rate
        yield f"{at}.rate_measure", rate
        yield f"{at}.time_s", times[name]
        yield f"{at}.over_products", times[name] / products
    longest = max(products, traffic, times[slowest])
    yield f"{place}.products_time_s", products
    yield f"{place}.memory_time_s", traffic
    yield f"{place}.limit", _first(MEMORY=traffic == longest, PRODUCTS=products == longest, SOFTMAX=True)
    yield f"{place}.overlapped_peak_share", products / longest
    one_after_the_other = products + sum(times.values())
    yield f"{place}.serial_peak_share", products / max(traffic, one_after_the_other)
    yield f"{place}.product_flops_per_score", (path[0].flops + path[2].flops) / scores

    def units_over_traffic(s: Number) -> Fraction:
        return (times[slowest] * s * s / case.s**2) / case.traffic_time(case.prefill_fused(s))

    from_length = smallest(lambda s: units_over_traffic(s) >= 1)
    yield f"{place}.sets_the_rate_from", from_length if times[slowest] > products else None
    bytes_time = case.traffic_time(path[1:2])
    kernel = max(bytes_time, times[slowest])
    one_by_one = case.time(path[:1]) + kernel + case.time(path[2:])
    yield f"{place}.kernel_bytes_time_s", bytes_time
    yield f"{place}.one_rate", len(work) == 1
    yield f"{place}.covers_the_softmax", sum(count for _, count, _ in work.values()) >= case.c
    yield f"{place}.units_hold_the_kernel_back", kernel > bytes_time
    yield f"{place}.kernels_time_s", one_by_one
    yield f"{place}.kernel_time_share", kernel / one_by_one


def _head_dim_where_softmax_is(case: Case, share: Fraction) -> Fraction | None:
    """The real d at which the softmax takes this share of the FLOPs: what it takes beyond it is linear in d."""
    if case.c == 0:
        return None

    def beyond(d: Number) -> Fraction:
        path = replace(case, d=d).prefill(1)
        return path[1].flops - share * flops(path)

    return root(beyond)


def _traffic(case: Case) -> Leaves:
    contract = answers(case)
    path, fused = case.prefill(case.s), case.prefill_fused(case.s)
    for name in ("scores", "softmax", "values"):
        yield f"traffic.{name}", contract[f"B1.elements_{name}"].formula
    yield "traffic.elements_unfused", contract["B1.elements_total"].formula
    yield "traffic.bytes_unfused", contract["B1.bytes_unfused"].formula
    yield "traffic.elements_fused", contract["B2.elements_fused"].formula
    yield "traffic.bytes_fused", contract["B2.bytes_fused"].formula
    yield "traffic.ratio", contract["B3.traffic_ratio"].formula
    masked = Kernel(Fraction(0), {"S": path[0].writes["S"]}, {"masked S": path[0].writes["S"]})
    yield "traffic.mask_kernel_share", masked.elements / elements(path)
    yield "traffic.reference_bytes_unfused", elements(path) * case.b
    yield "traffic.reference_bytes_fused", elements(fused) * case.b
    brief = dict.fromkeys((case.ratio_lengths[0], case.ratio_lengths[-1]))
    for table, lengths in (("ratios", case.ratio_lengths), ("ratios_in_brief", brief)):
        for row, length in enumerate(lengths):
            yield f"traffic.{table}[{row}].sequence_length", length
            yield f"traffic.{table}[{row}].per_head_dim", Fraction(length, case.d)
            yield f"traffic.{table}[{row}].ratio", contract[f"B3.traffic_ratio[{length}]"].exact
            yield f"traffic.{table}[{row}].per_head_dim_figure", Fraction(length, case.d)
            yield f"traffic.{table}[{row}].ratio_figure", contract[f"B3.traffic_ratio[{length}]"].exact


def _intensities(case: Case) -> Leaves:
    contract = answers(case)
    ceiling = unfused_limit(case)
    yield "intensity.unfused", contract["C1.intensity_unfused"].formula
    yield "intensity.unfused_limit", contract["C2.intensity_unfused_limit"].formula
    yield "intensity.unfused_limit_here", ceiling
    yield "intensity.unfused_limit_figure", ceiling
    yield "intensity.fused", contract["C3.intensity_fused"].formula
    lengths = case.intensity_lengths
    brief = lengths if len(lengths) < 9 else [lengths[0], lengths[-1]]
    for table, shown in (("rows", lengths), ("rows_in_brief", brief)):
        for row, length in enumerate(shown):
            place = f"intensity.{table}[{row}]"
            yield f"{place}.sequence_length", length
            yield from _cell(case, f"{place}.unfused", case.intensity(case.prefill(length)))
            yield from _cell(case, f"{place}.fused", case.intensity(case.prefill_fused(length)))
            yield f"{place}.share_of_limit", case.intensity(case.prefill(length)) / ceiling
    for name, path in (("unfused", case.prefill), ("fused", case.prefill_fused)):
        column = f"intensity.{name}_column"
        turned = [case.compute_bound(path(length)) for length in case.intensity_lengths]
        assert turned == sorted(turned), "memory-bound rows come first"
        yield (
            f"{column}.verdicts",
            _first(ALL_COMPUTE_BOUND=all(turned), ALL_MEMORY_BOUND=not any(turned), MIXED=True),
        )
        split = turned.count(False)
        yield f"{column}.last_memory_bound", case.intensity_lengths[split - 1] if split else None
        yield f"{column}.first_compute_bound", case.intensity_lengths[split] if any(turned) else None
    yield "intensity.one_row", len(case.intensity_lengths) == 1


def _classification(case: Case) -> Leaves:
    place = "classification"
    ceiling = unfused_limit(case)
    yield f"{place}.ridge", case.ridge
    yield f"{place}.ridge_figure", case.ridge
    yield f"{place}.ridge_in_table", case.ridge
    yield from _crossover(case, f"{place}.fused", case.prefill_fused)

    reaches = ceiling > case.ridge
    yield f"{place}.unfused.reach", _first(FROM_SOME_LENGTH_ON=reaches, BARELY_NEVER=ceiling == case.ridge, NEVER=True)
    if not reaches:
        assert not any(case.compute_bound(case.prefill(10**power)) for power in range(0, 60, 5))
    # Per row of the score matrix and of Q, the excess of FLOPs over those that the traffic leaves time for grows by
    yield f"{place}.unfused.coefficient", _slope(lambda s: case.excess(case.prefill(s)) / s)
    yield f"{place}.unfused.real", crossover(case, case.prefill)
    if reaches:
        yield from _crossover(case, f"{place}.unfused.crossover", case.prefill)
    else:
        yield f"{place}.unfused.crossover", None
    same_length = reaches and min_length(case, case.prefill) == min_length(case, case.prefill_fused)
    yield f"{place}.same_smallest_length", same_length
    only_fused = reaches and not same_length
    if only_fused:
        first, last = min_length(case, case.prefill_fused), largest(lambda s: not case.compute_bound(case.prefill(s)))
        yield f"{place}.decided_by_fusion[0]", first
        yield f"{place}.decided_by_fusion[1]", last
        yield f"{place}.decides_one_length", first == last
    else:
        yield f"{place}.decided_by_fusion", None
        yield f"{place}.decides_one_length", False
    yield f"{place}.unfused.limit", _side(ceiling, case.ridge)
    yield f"{place}.unfused.every_head_dim", unfused_limit(replace(case, d=1)) > case.ridge
    yield from _smallest_integer(
        f"{place}.unfused.min_head_dim",
        root(lambda d: unfused_limit(replace(case, d=d)) - case.ridge),
        min_head_dim(case),
        lambda d: unfused_limit(replace(case, d=d)),
        case.ridge,
    )
    # As d grows the softmax counts for nothing, and the crossover is that of c = 0, which does not depend on d.
    softmax_free = replace(case, c=Fraction(0))
    yield f"{place}.crossover_for_large_head_dim", crossover(softmax_free, softmax_free.prefill_fused)
    yield (
        f"{place}.crossover_share",
        crossover(case, case.prefill_fused) / crossover(softmax_free, softmax_free.prefill_fused),
    )
    yield f"{place}.unfused.head_dim_is_the_least", case.d == min_head_dim(case)

    paths = {"unfused": case.prefill(case.s), "fused": case.prefill_fused(case.s)}
    for name, path in paths.items():
        at = f"{place}.reference_{name}"
        yield from _cell(case, f"{at}.cell", case.intensity(path))
        yield f"{at}.intensity", case.intensity(path)
        yield f"{place}.{name}_verdict", case.verdict(path)
        yield f"{at}.flops", flops(path)
        yield f"{at}.traffic_bytes", elements(path) * case.b
        yield f"{at}.rate_flops_per_s", case.rate(path)
        yield f"{at}.rate", case.rate(path) / TERA
        yield f"{at}.rate_measure", case.rate(path)
        yield f"{at}.time_s", case.time(path)
        yield f"{at}.peak_share", case.work_time(path) / case.time(path)
    speedup = case.time(paths["unfused"]) / case.time(paths["fused"])
    traffic_ratio = elements(paths["unfused"]) / elements(paths["fused"])
    yield f"{place}.speedup", speedup
    yield f"{place}.speedup_work", speedup
    yield f"{place}.speedup_figure", speedup
    yield f"{place}.traffic_ratio_figure", traffic_ratio
    yield f"{place}.traffic_ratio", traffic_ratio
    yield f"{place}.pay_off", _first(NOTHING=speedup == 1, WHOLE_RATIO=speedup == traffic_ratio, PART=True)
    one_by_one = sum(case.time((kernel,)) for kernel in paths["unfused"])
    for name, kernel in zip(("scores", "softmax", "values"), paths["unfused"], strict=True):
        at = f"{place}.kernels.{name}"
        yield f"{at}.flops", kernel.flops
        yield f"{at}.traffic_bytes", kernel.elements * case.b
        yield f"{at}.time_s", case.time((kernel,))
        yield from _cell(case, f"{at}.cell", case.intensity((kernel,)))
    yield f"{place}.kernels.time_s", one_by_one
    yield f"{place}.kernels.speedup", one_by_one / case.time(paths["fused"])
    yield f"{place}.kernels.speedup_figure", one_by_one / case.time(paths["fused"])
    bound = [case.compute_bound((kernel,)) for kernel in paths["unfused"]]
    assert bound[0] == bound[2], "the products are alike"
    yield (
        f"{place}.kernels.roofs",
        _first(
            ALL_COMPUTE_BOUND=all(bound),
            ALL_MEMORY_BOUND=not any(bound),
            SOFTMAX_MEMORY_BOUND=bound[0],
            PRODUCTS_MEMORY_BOUND=True,
        ),
    )
    yield f"{place}.kernels.softmax_time_share", case.time(paths["unfused"][1:2]) / one_by_one
    yield f"{place}.kernels.as_one", one_by_one == case.time(paths["unfused"])
    yield f"{place}.fused_on_ridge", case.work_time(paths["fused"]) == case.traffic_time(paths["fused"])


def _layer_in_memory(case: Case) -> Leaves:
    place = "footprint"
    head, layer = score_bytes(case, case.s), layer_bytes(case, case.s)
    yield f"{place}.head_bytes", head
    yield f"{place}.layer_bytes", layer
    yield f"{place}.capacity_share", layer / case.capacity
    yield f"{place}.many_times_the_capacity", layer >= 10 * case.capacity
    yield f"{place}.fit", _first(LAYER=layer <= case.capacity, ONE_HEAD=head <= case.capacity, NOTHING=True)
    yield f"{place}.both_layer_bytes", layer + layer
    yield f"{place}.both_capacity_share", (layer + layer) / case.capacity
    yield f"{place}.both_fit", layer + layer <= case.capacity
    yield f"{place}.both_head_fit", head + head <= case.capacity
    yield f"{place}.layer_measure", layer
    yield f"{place}.fills_the_capacity", layer == case.capacity
    operands = elements(case.prefill_fused(case.s)) * case.b * case.heads * case.batch
    yield f"{place}.operand_bytes_layer", operands
    yield f"{place}.operands_fit", operands <= case.capacity
    yield f"{place}.operands_head_fit", elements(case.prefill_fused(case.s)) * case.b <= case.capacity
    longest, longest_both = longest_that_fits(case), longest_that_fits(case, matrices=2)
    yield f"{place}.max_sequence_length", longest
    yield f"{place}.max_sequence_length_both", longest_both
    yield f"{place}.none_fits", layer_bytes(case, 1) > case.capacity
    yield f"{place}.none_fits_both", 2 * layer_bytes(case, 1) > case.capacity
    yield f"{place}.longest_square", longest * longest
    yield f"{place}.next_length", longest + 1
    yield f"{place}.next_square", (longest + 1) * (longest + 1)
    yield f"{place}.single_head", case.batch == 1 and case.heads == 1
    yield f"{place}.fused_doubling", Fraction(2)
    yield f"{place}.unfused_doubling", Fraction(1)
    yield f"{place}.peak_share_limit", peak_share(case, unfused_limit(case))
    yield f"{place}.limit_over_ridge", unfused_limit(case) / case.ridge
    yield f"{place}.cap_is_near_peak", 100 * peak_share(case, unfused_limit(case)) >= 95
    # Every kernel's work and traffic grow as s^2, and so does the longer of the two times.
    times = [
        max(
            _difference(lambda s, row=row: case.work_time(case.prefill(s)[row : row + 1]), 2),
            _difference(lambda s, row=row: case.traffic_time(case.prefill(s)[row : row + 1]), 2),
        )
        for row in range(3)
    ]
    one_by_one = _difference(lambda s: case.work_time(case.prefill(s)), 2) / sum(times)
    yield f"{place}.peak_share_limit_one_by_one", one_by_one
    yield f"{place}.overlap_matters_in_the_limit", one_by_one < peak_share(case, unfused_limit(case))
    yield f"{place}.compute_bound_length_fits", longest_both > 0 and case.compute_bound(case.prefill(longest_both))


def _causal(case: Case) -> Leaves:
    contract = answers(case)

    def of(d: Number) -> Case:
        return replace(case, d=d)

    yield "causal.total", lambda s, d, g: flops(of(d).causal(s))
    yield "causal.bytes_unfused", lambda s, d, g: elements(of(d).causal(s)) * case.b
    yield "causal.bytes_fused", lambda s, d, g: elements(of(d).causal_fused(s)) * case.b
    yield "causal.unfused", contract["F1.intensity_unfused_causal"].formula
    yield "causal.fused", contract["F1.intensity_fused_causal"].formula
    yield "causal.unfused_limit", lambda s, d, g: unfused_limit(of(d))
    ceiling = limit(lambda s: flops(case.causal(s)), lambda s: elements(case.causal(s)) * case.b)
    assert ceiling == unfused_limit(case), "masking does not move the limit"
    yield "causal.share_figure", case.intensity(case.causal(case.s)) / ceiling
    yield "causal.share_figure_uncut", case.intensity(case.prefill(case.s)) / ceiling
    yield from _crossover(case, "causal.crossover", case.causal_fused)
    if ceiling > case.ridge:
        yield from _smallest_integer(
            "causal.unfused_smallest",
            crossover(case, case.causal),
            min_length(case, case.causal),
            lambda s: case.intensity(case.causal(s)),
            case.ridge,
        )
    else:
        yield "causal.unfused_smallest", None
    yield from _cell(case, "causal.reference_unfused", case.intensity(case.causal(case.s)))
    yield from _cell(case, "causal.reference_fused", case.intensity(case.causal_fused(case.s)))
    counted = min_length(case, case.triangle_fused)
    yield from _smallest_integer(
        "causal.triangle",
        root(lambda s: case.excess(case.triangle_fused(s)) / s),
        counted,
        lambda s: case.intensity(case.triangle_fused(s)),
        case.ridge,
    )
    triangle, half = case.triangle_fused(case.s), case.causal_fused(case.s)
    yield "causal.triangle_excess", flops(triangle) / flops(half) - 1
    yield "causal.triangle_changes_answer", counted != min_length(case, case.causal_fused)


def _decode(case: Case) -> Leaves:
    contract = answers(case)

    def of(d: Number) -> Case:
        return replace(case, d=d)

    yield "decode.total", lambda s, d, g: flops(of(d).decode(s))
    yield "decode.bytes_unfused", lambda s, d, g: elements(of(d).decode(s)) * case.b
    yield "decode.bytes_fused", lambda s, d, g: elements(of(d).decode_fused(s)) * case.b
    yield "decode.fused", contract["F2.intensity_decode_fused"].formula
    yield "decode.unfused", contract["F2.intensity_decode_unfused"].formula
    fused, unfused = decode_limit(case, case.decode_fused), decode_limit(case, case.decode)
    for name, ceiling in (("fused", fused), ("unfused", unfused)):
        yield f"decode.{name}_limit", ceiling
        yield f"decode.{name}_limit_figure", ceiling
    yield "decode.fusion_gain_limit", fusion_gain_limit(case)
    yield "decode.fusion_gain_limit_figure", fusion_gain_limit(case)

    def saved(s: Number) -> Fraction:
        return 1 - elements(case.decode_fused(s)) / elements(case.decode(s))

    most_saved = 1 - 1 / fusion_gain_limit(case)
    assert saved(1) < saved(2) < saved(10**9) < most_saved, "the longer the cache, the more is saved"
    yield "decode.saved_traffic_limit", most_saved
    yield "decode.saves_little", 100 * most_saved <= 5
    yield "decode.ridge_over_limit", case.ridge / fused
    yield (
        "decode.distance",
        _first(FAR_BELOW=10 * fused <= case.ridge, BELOW=fused < case.ridge, ON=fused == case.ridge, ABOVE=True),
    )
    yield "decode.peak_share_limit", peak_share(case, fused)
    yield "decode.unfused_peak_share_limit", peak_share(case, unfused)
    for name, ceiling, path in (
        ("decode.smallest", fused, case.decode_fused),
        ("decode.unfused_smallest", unfused, case.decode),
    ):
        if ceiling > case.ridge:
            yield from _smallest_integer(
                name,
                root(lambda s, path=path: case.excess(path(s))),
                min_length(case, path),
                lambda s, path=path: case.intensity(path(s)),
                case.ridge,
            )
        else:
            assert not any(case.compute_bound(path(10**power)) for power in range(0, 60, 5))
            yield name, None
    yield "decode.unfused_approach", _side(unfused, case.ridge)
    softmax_free = replace(case, c=Fraction(0))
    yield "decode.softmax_over_cache", fused - decode_limit(softmax_free, softmax_free.decode_fused)
    yield from _cell(case, "decode.reference_fused", case.intensity(case.decode_fused(case.s)))
    yield from _cell(case, "decode.reference_unfused", case.intensity(case.decode(case.s)))
    reads = case.decode_fused(case.s)[0].reads
    cache = (reads["K"] + reads["V"]) * case.b
    yield "decode.cache_bytes_head", cache
    yield "decode.cache_bytes_layer", cache * case.heads * case.batch
    yield "decode.cache_time_head_s", cache / case.bandwidth
    yield "decode.cache_time_layer_s", cache * case.heads * case.batch / case.bandwidth
    yield "decode.cache_fits", cache * case.heads * case.batch <= case.capacity
    yield "decode.work_time_head_s", case.work_time(case.decode(case.s))
    yield "decode.work_time_layer_s", case.work_time(case.decode(case.s)) * case.heads * case.batch
    yield "decode.two_over_bytes", 2 / case.b
    yield "decode.cache_elements_per_row", (reads["K"] + reads["V"]) / case.s
    yield "decode.everywhere", case.compute_bound(case.decode_fused(1))
    yield "decode.unfused_everywhere", case.compute_bound(case.decode(1))
    both = [min_length(case, path) for path in (case.decode_fused, case.decode)] if unfused > case.ridge else [0, 1]
    yield "decode.same_smallest_length", both[0] == both[1]


def _grouped(case: Case) -> Leaves:
    contract = answers(case)
    most_usual = 16  # query heads that share a KV head in the models named in the derivations

    def of(d: Number) -> Case:
        return replace(case, d=d)

    yield "grouped.total", lambda s, d, g: flops(of(d).grouped(s, g))
    yield "grouped.bytes_fused", lambda s, d, g: elements(of(d).grouped(s, g)) * case.b
    yield "grouped.intensity", contract["F3.intensity_decode_grouped"].formula
    yield "grouped.limit", contract["F3.limit_grouped"].formula
    yield "grouped.limit_is_group_size", grouped_limit(case, 1000) == 1000
    yield "grouped.limit_is_about_group_size", abs(grouped_limit(case, 1000) - 1000) <= 50
    for row, size in enumerate(case.group_sizes):
        place = f"grouped.rows[{row}]"
        yield f"{place}.group_size", size
        yield from _cell(case, f"{place}.limit", grouped_limit(case, size))
        yield f"{place}.peak_share", peak_share(case, grouped_limit(case, size))
        yield from _cell(case, f"{place}.at_reference", case.intensity(case.grouped(case.s, size)))
    needed, needed_at_reference = min_group_size(case), min_group_size_at_reference(case)
    yield from _smallest_integer(
        "grouped.min_group_size",
        root(lambda g: grouped_limit(case, g) - case.ridge),
        needed,
        lambda g: grouped_limit(case, g),
        case.ridge,
    )
    if needed_at_reference is None:
        assert not any(case.compute_bound(case.grouped(case.s, 10**power)) for power in range(0, 60, 5))
        yield "grouped.min_group_size_at_reference", None
    else:
        yield from _smallest_integer(
            "grouped.min_group_size_at_reference",
            root(lambda g: case.excess(case.grouped(case.s, g))),
            needed_at_reference,
            lambda g: case.intensity(case.grouped(case.s, g)),
            case.ridge,
        )
    yield (
        "grouped.reach_at_reference",
        _first(
            FROM_SOME_LENGTH_ON=needed_at_reference is not None,
            BARELY_NEVER=grouped_ceiling(case) == case.ridge,
            NEVER=True,
        ),
    )
    # Read anew for each block of g query rows, K and V cross s/g times.
    yield (
        "grouped.blocks",
        lambda s, d, g: (
            flops(of(d).prefill_fused(s))
            / case.b
            / (elements(of(d).prefill_fused(s)) + (Fraction(s) / g - 1) * elements(of(d).prefill_fused(s)) / 2)
        ),
    )
    yield "grouped.min_batch", smallest(lambda n: 2 * n / case.b >= case.ridge)
    yield "grouped.one_sequence_is_enough", 2 / case.b >= case.ridge
    yield "grouped.multi_query_reaches", grouped_limit(case, case.heads) >= case.ridge
    yield "grouped.ceiling_at_reference", grouped_ceiling(case)
    yield "grouped.one_is_enough", grouped_limit(case, 1) >= case.ridge
    yield "grouped.one_is_enough_at_reference", case.compute_bound(case.grouped(case.s, 1))
    yield "grouped.beyond_usual_group_sizes", grouped_limit(case, most_usual) < case.ridge
    yield "grouped.usual_group_sizes[0]", 4
    yield "grouped.usual_group_sizes[1]", most_usual


def _cell(case: Case, place: str, intensity: Fraction) -> Leaves:
    yield f"{place}.intensity_flops_per_byte", intensity
    yield f"{place}.figure", intensity
    yield f"{place}.verdict", case.verdict_of_intensity(intensity)


def _crossover(case: Case, place: str, path: Callable[[Number], Path]) -> Leaves:
    before = min_length(case, path) - Fraction(1, 2)  # a real solution there or later rounds to the answer
    yield f"{place}.nearest_integer_is_right", case.excess(path(before)) <= 0
    yield f"{place}.everywhere", all(case.compute_bound(path(s)) for s in (1, 2, 3, 10, 1000))
    yield from _smallest_integer(
        f"{place}.smallest",
        crossover(case, path),
        min_length(case, path),
        lambda s: case.intensity(path(s)),
        case.ridge,
    )


def _smallest_integer(
    place: str, bound: Fraction | None, value: int, function: Function, threshold: Fraction
) -> Leaves:
    before = value - 1
    yield f"{place}.bound", bound
    yield f"{place}.reached_exactly", function(value) == threshold
    yield f"{place}.bound_figure", bound
    yield f"{place}.value", value
    yield f"{place}.threshold", threshold
    yield f"{place}.reached", function(value)
    yield f"{place}.reached_figure", function(value)
    yield f"{place}.missed", function(before) if before else None
    yield f"{place}.missed_figure", function(before) if before else None
    yield f"{place}.has_predecessor", before >= 1
    yield f"{place}.predecessor", before
    yield f"{place}.bound_is_whole", function(value) == threshold


def _first(**cases: bool) -> str:
    """The name of the first case that holds."""
    return next(name for name, holds in cases.items() if holds)


def _side(limit: Fraction, threshold: Fraction) -> str:
    return _first(BELOW=limit < threshold, ON=limit == threshold, ABOVE=True)


def _slope(line: Function) -> Fraction:
    assert line(3) - line(2) == line(2) - line(1), "not linear"
    return line(2) - line(1)
