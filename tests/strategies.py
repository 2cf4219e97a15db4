"""Random parameter files, as TOML text, with the extremes and the equalities that chance alone would never hit.

An equality is built on purpose: the peak and the bandwidth are chosen so that the ridge point is, exactly or but for
a hair, the intensity at which some claim of the manual turns.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction

from hypothesis import strategies as st

Values = dict[str, object]

HOSTILE_NAMES = (
    r"100% & #1: $x_1^2$ {~} \ back",
    r"\input{secret} \write18{true} \end{document}",
    r"\VAR{problem.workload} \BLOCK{ include 'x' } \COMMENT{x}",
    "%% if true",
    "%# comment",
    "]]}{ [[ (( )) \\\\ \\",
    "H100\u2122 \u2014 \u00abna\u00efve\u00bb \u201cquoted\u201d \u2018x\u2019 \u2026",
    "\u0391\u03b2\u03b3 \u03a9 \u00b5s \u03bcm \u00c5\u00d8\u00df \u0142\u0141 \u0130\u0131",
    "\u8a2d\u5099 \U0001f680 e\u0301",
    "--- '' `` ?` !` << >> ,, \"",
    "^^41 ~tilde~ _under_ |bar|",
    "$",
    "x" * 80,
)
DTYPES = ("bf16", "fp8 (E4M3)", "4-bit", "int8_t & co", "50% {x}", "\u00b5-float")
FRACTIONAL_BYTES = ("0.5", "0.25", "3.7", "0.625", "1.5")

_decimals = st.decimals(min_value="0.01", max_value="64", places=2).map(str)
bytes_per_element = st.one_of(
    st.sampled_from(["2", "2", "1", "4", "8", "0.125", "64", *FRACTIONAL_BYTES]),
    st.decimals(min_value="0.13", max_value="64", places=2).map(str),
    st.just("0.1534567"),
)
softmax_flops = st.one_of(
    st.sampled_from(["0", "5", "5", "3", "1", "0.5", "0.25", "3.7", "20", "4096"]),
    _decimals,
    st.sampled_from(["2.7182818", "10000", "0.000001"]),
)
head_dims = st.one_of(
    st.sampled_from([1, 2, 3, 16, 36, 37, 38, 39, 64, 80, 128, 128, 256, 576]), st.integers(1, 5000), st.just(10**6)
)
lengths = st.one_of(st.sampled_from([1, 2, 512, 8192, 8192, 10**7, 10**9]), st.integers(1, 300), st.integers(1, 10**7))
counts = st.one_of(st.sampled_from([1, 1, 2, 8, 32, 10**6]), st.integers(1, 2000))
group_sizes = st.one_of(st.sampled_from([1, 2, 4, 8, 16, 10**6]), st.integers(1, 600))
ridges = st.one_of(
    st.sampled_from(["0.25", "0.5", "1", "2", "300", "5000"]),
    st.decimals(min_value="0.25", max_value="5000", places=3).map(str),
)
bandwidths = st.one_of(
    st.sampled_from(["4", "3.35", "0.864", "1.7", "8"]),
    st.decimals(min_value="0.05", max_value="50", places=3).map(str),
    st.sampled_from(["0.00001", "0.0001", "12345.678", "100000"]),
)
capacities = st.one_of(
    st.sampled_from(["192", "80", "16", "0.000001", "0.5", "1e9"]),
    st.decimals(min_value="0.001", max_value="1000", places=3).map(str),
)
rates = st.one_of(
    st.none(), st.decimals(min_value="0.1", max_value="3000", places=1).map(str), st.sampled_from(["1e-6", "1e9"])
)
block_rows = st.one_of(st.none(), st.sampled_from([1, 64, 128, 10**6]), st.integers(1, 500))
caches = st.one_of(st.none(), st.sampled_from(["0.000001", "40", "126", "4.194304", "1e9"]))
papers = st.sampled_from([None, None, "a4", "letter"])
plain_names = st.sampled_from(["Device R", "Another accelerator", "A"])
names = st.one_of(
    plain_names,
    st.sampled_from(HOSTILE_NAMES),
    st.text(st.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=80).filter(
        lambda name: name.isprintable() and bool(name.strip())
    ),
)

# Where the ridge point is put: numerator and denominator of the intensity at which a claim turns.
Turn = Callable[[Fraction, Fraction, int, int, int], tuple[Fraction, Fraction]]
TURNS: Mapping[str, Turn] = {
    "limit of the unfused path": lambda b, c, d, s, n: (4 * d + c, 4 * b),
    "unfused path at the reference s": lambda b, c, d, s, n: (s * (4 * d + c), 4 * b * (s + d)),
    "fused kernel at the reference s": lambda b, c, d, s, n: (s * (4 * d + c), 4 * b * d),
    "fused crossover is an integer": lambda b, c, d, s, n: (n * (4 * d + c), 4 * b * d),
    "fused crossover is 1": lambda b, c, d, s, n: (4 * d + c, 4 * b * d),
    "unfused crossover is an integer": lambda b, c, d, s, n: (n * (4 * d + c), 4 * b * (n + d)),
    "unfused crossover is 1": lambda b, c, d, s, n: (4 * d + c, 4 * b * (1 + d)),
    "causal crossover is an integer": lambda b, c, d, s, n: (n * (4 * d + c), 8 * b * d),
    "causal crossover is 1": lambda b, c, d, s, n: (4 * d + c, 8 * b * d),
    "smallest head dimension is an integer": lambda b, c, d, s, n: (4 * n + c, 4 * b),
    "limit of decode": lambda b, c, d, s, n: (4 * d + c, 2 * b * d),
    "limit of unfused decode": lambda b, c, d, s, n: (4 * d + c, 2 * b * (d + 2)),
    "ten times the limit of decode": lambda b, c, d, s, n: (10 * (4 * d + c), 2 * b * d),
    "group size is an integer": lambda b, c, d, s, n: (n * (4 * d + c), 2 * b * d),
    "ceiling of the groups at the reference s": lambda b, c, d, s, n: (s * (4 * d + c), 2 * b * d),
    "group size at the reference s is an integer": lambda b, c, d, s, n: (n * s * (4 * d + c), 2 * b * d * (s + n)),
}
HAIRS = (
    Fraction(0),
    Fraction(0),
    *(sign * Fraction(1, size) for size in (10**9, 10**4, 500) for sign in (1, -1)),
)


def toml(values: Mapping[str, object]) -> str:
    """A parameter file that holds these values; numbers as text, None for an absent key."""
    lines: dict[str, list[str]] = {}
    for place, value in values.items():
        table, key = place.split(".")
        if value is not None:
            lines.setdefault(table, []).append(f"{key} = {_literal(key, value)}")
    return "".join(f"[{table}]\n" + "\n".join(keys) + "\n\n" for table, keys in lines.items())


def _literal(key: str, value: object) -> str:
    if key in ("name", "dtype", "paper"):
        return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, Fraction):
        return decimal(value)
    return str(value)


def decimal(value: Fraction) -> str:
    """A fraction whose denominator divides a power of ten, written out."""
    places = next(places for places in range(60) if 10**places % value.denominator == 0)
    digits = str(value.numerator * 10**places // value.denominator).zfill(places + 1)
    return digits if places == 0 else f"{digits[:-places]}.{digits[-places:]}"


DEVICE_R: Values = {
    "device.name": "Device R",
    "device.peak_tflops_per_s": "1200",
    "device.bandwidth_tb_per_s": "4.0",
    "device.capacity_gb": "192",
    "device.vector_tflops_per_s": None,
    "device.exp_tops_per_s": None,
    "device.last_level_cache_mb": None,
    "workload.dtype": "bf16",
    "workload.bytes_per_element": "2",
    "workload.softmax_flops_per_element": "5",
    "workload.head_dim": 128,
    "workload.sequence_length": 8192,
    "workload.query_block_rows": None,
    "layer.batch": 8,
    "layer.heads": 32,
    "tables.traffic_ratio_sequence_lengths": [512, 8192],
    "tables.intensity_sequence_lengths": [512, 1024, 2048, 4096, 8192, 32768],
    "tables.query_group_sizes": [1, 2, 4, 8, 16],
    "page.paper": None,
}


def variant(**changes: object) -> str:
    """Device R with other values, as TOML; the tables of keys are left out of the names, which are unique."""
    places = {place.split(".")[1]: place for place in DEVICE_R}
    return toml({**DEVICE_R, **{places[key]: value for key, value in changes.items()}})


def turned(turn: str, hair: Fraction = Fraction(0), n: int = 7, **changes: object) -> str:
    """Device R with these changes and with its ridge point where `turn` says, `hair` (a share of it) off."""
    values = {**{place.split(".")[1]: value for place, value in DEVICE_R.items()}, **changes}
    peak, bandwidth = _machine_at(turn, hair, n, values)
    return variant(**changes, peak_tflops_per_s=peak, bandwidth_tb_per_s=bandwidth)


def _machine_at(turn: str, hair: Fraction, n: int, values: Mapping[str, object]) -> tuple[Fraction, Fraction]:
    above, below = TURNS[turn](
        Fraction(str(values["bytes_per_element"])),
        Fraction(str(values["softmax_flops_per_element"])),
        int(str(values["head_dim"])),
        int(str(values["sequence_length"])),
        n,
    )
    return above * (1 + hair) / 1000, below / 1000


MOST_DIGITS = 12


def allowed(value: Fraction) -> bool:
    """A rate or a capacity as a parameter file may give it."""
    return Fraction(1, 10**6) <= value <= 10**9 and len(decimal(value).replace(".", "").strip("0")) <= MOST_DIGITS


def tables(entries: st.SearchStrategy[int]) -> st.SearchStrategy[list[int]]:
    """One row, a few, or as many as there may be."""
    return st.one_of(
        entries.map(lambda entry: [entry]),
        st.lists(entries, min_size=2, max_size=6, unique=True).map(sorted),
        st.lists(entries, min_size=24, max_size=24, unique=True).map(sorted),
    )


def few(entries: st.SearchStrategy[int]) -> st.SearchStrategy[list[int]]:
    """Mostly few rows, which are quick to solve."""
    one = entries.map(lambda entry: [entry])
    some = st.lists(entries, min_size=2, max_size=4, unique=True).map(sorted)
    return st.one_of(one, some, some, some, tables(entries))


@st.composite
def parameter_files(draw: st.DrawFn, names: st.SearchStrategy[str] = names) -> str:
    """The text of a valid parameter file."""
    values = {
        "name": draw(names),
        "dtype": draw(st.sampled_from(DTYPES)),
        "bytes_per_element": draw(bytes_per_element),
        "softmax_flops_per_element": draw(softmax_flops),
        "head_dim": draw(head_dims),
        "sequence_length": draw(lengths),
        "batch": draw(counts),
        "heads": draw(counts),
        "traffic_ratio_sequence_lengths": draw(few(lengths)),
        "intensity_sequence_lengths": draw(few(lengths)),
        "query_group_sizes": draw(few(group_sizes)),
        "vector_tflops_per_s": draw(rates),
        "exp_tops_per_s": draw(rates),
        "last_level_cache_mb": draw(caches),
        "query_block_rows": draw(block_rows),
        "paper": draw(papers),
    }
    values |= draw(st.sampled_from([{}, {}, {}, *SHARES_ON_A_LIMIT]))
    if draw(st.booleans()):
        turn, hair, n = draw(st.sampled_from(sorted(TURNS))), draw(st.sampled_from(HAIRS)), draw(st.integers(1, 900))
        peak, bandwidth = _machine_at(turn, hair, n, values)
    else:
        peak, bandwidth = Fraction(0), Fraction(0)
    if not (allowed(peak) and allowed(bandwidth)):
        bandwidth = Fraction(draw(bandwidths))
        peak = Fraction(draw(ridges)) * bandwidth
    if not (allowed(peak) and allowed(bandwidth)):
        peak, bandwidth = Fraction(1200), Fraction(4)
    values |= {"peak_tflops_per_s": peak, "bandwidth_tb_per_s": bandwidth, "capacity_gb": draw(_capacity(values))}
    return variant(**values)


# Softmax at exactly 5, 10 and 50 percent of the FLOPs; unfused decode saving exactly 5 percent; the decode limit
# exactly 5 percent off the group size, above and below.
SHARES_ON_A_LIMIT: tuple[Values, ...] = (
    {"softmax_flops_per_element": "4", "head_dim": 19},
    {"softmax_flops_per_element": "20", "head_dim": 45},
    {"softmax_flops_per_element": "20", "head_dim": 5},
    {"head_dim": 38},
    {"softmax_flops_per_element": "1", "head_dim": 5, "bytes_per_element": "2"},
    {"softmax_flops_per_element": "18", "head_dim": 5, "bytes_per_element": "4"},
)


def _capacity(values: Mapping[str, object]) -> st.SearchStrategy[object]:
    """Any, or what the score matrices take exactly: of one head, of the layer, or twice that; also a byte less."""
    head = Fraction(str(values["bytes_per_element"])) * int(str(values["sequence_length"])) ** 2
    layer = head * int(str(values["batch"])) * int(str(values["heads"]))
    exact = [Fraction(size + less, 10**9) for size in (head, 2 * head, layer, 2 * layer) for less in (0, -1)]
    fitting = [size for size in exact if allowed(size)]
    return st.one_of(capacities, st.sampled_from(fitting)) if fitting else capacities


# One file a regime: each turns a claim the other way than Device R, or puts it on the edge.
REGIMES: Mapping[str, str] = {
    "device r": variant(),
    "real device": variant(peak_tflops_per_s="989.4", bandwidth_tb_per_s="3.35", exp_tops_per_s="3.9"),
    "exponentials take longest": variant(exp_tops_per_s="0.5", vector_tflops_per_s=60),
    "traffic takes longest": variant(vector_tflops_per_s=5000, sequence_length=20),
    "no softmax": variant(softmax_flops_per_element=0),
    "softmax sizeable": variant(softmax_flops_per_element="3.7", head_dim=16, bytes_per_element="0.5"),
    "products alone memory-bound": variant(peak_tflops_per_s=20, head_dim=1, softmax_flops_per_element=100),
    "softmax at five percent": variant(softmax_flops_per_element=4, head_dim=19),
    "head dimension of one": variant(head_dim=1),
    "everything is one": variant(
        head_dim=1,
        sequence_length=1,
        bytes_per_element=1,
        softmax_flops_per_element=1,
        batch=1,
        heads=1,
        traffic_ratio_sequence_lengths=[1],
        intensity_sequence_lengths=[1],
        query_group_sizes=[1],
    ),
    "ridge of a quarter": variant(peak_tflops_per_s=1, query_group_sizes=[1]),
    "ridge of one": variant(peak_tflops_per_s=4),
    "ridge of five thousand": variant(peak_tflops_per_s=20000),
    "unfused path crosses": variant(peak_tflops_per_s=200),
    "unfused path crosses inside the table": variant(
        peak_tflops_per_s=200, sequence_length=64, intensity_sequence_lengths=[64, 256, 512]
    ),
    "products on the ridge": variant(peak_tflops_per_s=256, sequence_length=256),
    "compute-bound everywhere": variant(peak_tflops_per_s=2, head_dim=8),
    "decode compute-bound": variant(peak_tflops_per_s=1, head_dim=1),
    "crossovers that round to one length": variant(peak_tflops_per_s="4.2", head_dim=100000),
    "unfused limit on the ridge": turned("limit of the unfused path"),
    "unfused limit a hair below": turned("limit of the unfused path", Fraction(1, 10**9)),
    "unfused limit a hair above": turned("limit of the unfused path", -Fraction(1, 10**9)),
    "fused on the ridge": turned("fused kernel at the reference s"),
    "fused on the ridge at 1": turned("fused crossover is 1"),
    "fused crossover whole": turned("fused crossover is an integer"),
    "unfused crossover whole": turned("unfused crossover is an integer", head_dim=3),
    "unfused crossover is 1": turned("unfused crossover is 1", head_dim=3),
    "causal crossover is 1": turned("causal crossover is 1"),
    "speedup a hair below the ratio": turned(
        "fused kernel at the reference s", Fraction(-1, 10**4), head_dim=997, sequence_length=64250
    ),
    "both memory-bound": variant(sequence_length=100, intensity_sequence_lengths=[100]),
    "long table": variant(intensity_sequence_lengths=list(range(100, 2500, 100)), query_group_sizes=list(range(1, 25))),
    "nothing fits": variant(capacity_gb="0.000001", batch=1000),
    "one head fits": variant(capacity_gb="0.2"),
    "layer fits exactly": variant(capacity_gb="34.359738368"),
    "one matrix of two fits": variant(capacity_gb="50"),
    "single head": variant(batch=1, heads=1),
    "decode on the ridge": turned("limit of decode"),
    "unfused decode on the ridge": turned("limit of unfused decode"),
    "decode ten times below": turned("ten times the limit of decode"),
    "no group at the reference s": variant(sequence_length=100, head_dim=64),
    "group ceiling on the ridge": turned("ceiling of the groups at the reference s", sequence_length=100),
    "usual group is enough": turned("group size is an integer", n=8),
    "ten million": variant(sequence_length=10**7, intensity_sequence_lengths=[1, 10**7]),
    "letter paper": variant(paper="letter"),
    "largest of all": variant(
        name="W" * 80,
        dtype="m" * 40,
        peak_tflops_per_s="999999999.999",
        bandwidth_tb_per_s="0.00000123456789012",
        capacity_gb="987654321.987",
        vector_tflops_per_s="123456789.123",
        exp_tops_per_s="0.00000109876543211",
        last_level_cache_mb="123456.789123",
        bytes_per_element="63.9876543219",
        softmax_flops_per_element="9999.98765432",
        head_dim=999_983,
        sequence_length=999_999_937,
        query_block_rows=999_979,
        batch=999_961,
        heads=999_953,
        traffic_ratio_sequence_lengths=[999_999_000 + row for row in range(24)],
        intensity_sequence_lengths=[999_999_000 + row for row in range(24)],
        query_group_sizes=[999_900 + row for row in range(24)],
    ),
    "smallest of all": variant(
        peak_tflops_per_s="0.00000100000000001",
        bandwidth_tb_per_s="999999999.999",
        capacity_gb="0.000001",
        bytes_per_element="0.125000000001",
        softmax_flops_per_element="0.00000100000000001",
        head_dim=1,
        sequence_length=1,
        query_block_rows=1,
        batch=1,
        heads=1,
        traffic_ratio_sequence_lengths=[1, 10**9],
        intensity_sequence_lengths=[1, 10**9],
        query_group_sizes=[1, 10**6],
    ),
    "hostile name": variant(name=HOSTILE_NAMES[0], dtype="50% {x}"),
}
