"""Published figures, each reproduced from the derivations with its own source's assumptions.

Where a source counts otherwise, or slips, the test says in what, by how much, and where the model agrees again.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil

import pytest
from sympy import Expr, Integer, Rational, cancel, limit, oo

from derivations import symbols
from derivations.attention import (
    attention,
    causal_attention,
    decode_attention,
    grouped_decode_attention,
)
from derivations.dataflow import Operator, Stage, flops, fuse, traffic_elements
from derivations.part_c_intensity import intensity
from derivations.roofline import Machine
from derivations.solution import Solution, solve
from derivations.symbols import b, c, d, g, s
from manual.exercise import exercise
from manual.parameters import parse_parameters, read_parameters
from manual.shipped_devices import FOLDER
from tests.strategies import variant

TERA, GIGA = 10**12, 10**9


def at(expression: Expr, **numbers: int | str) -> Rational:
    """An expression with numbers for the symbols named."""
    values = {symbols.ALPHABET[name]: Rational(number) for name, number in numbers.items()}
    value = expression.subs(values)
    assert value.is_Rational, value
    return value


def ridge(tflops_per_s: str, tb_per_s: str) -> Rational:
    return Machine(Rational(tflops_per_s), Rational(tb_per_s)).ridge_flops_per_byte


def cache_bytes(layers: int, kv_heads: int, head_dim: int, tokens: int, bytes_per_element: int) -> Rational:
    """What the K and V that decode reads occupy, over all heads and layers."""
    keys_and_values = [tensor for stage in decode_attention() for tensor in stage.reads if tensor.name in "KV"]
    elements = sum(tensor.elements for tensor in keys_and_values)
    return layers * kv_heads * at(b * elements, s=tokens, d=head_dim, b=bytes_per_element)


def solution(**changes: object) -> Solution:
    return solve(exercise(parse_parameters(variant(**changes), "published.toml")))


def one_kernel(stage: Stage) -> Operator:
    return (stage,)


def same(first: Expr, second: Expr) -> bool:
    return bool(cancel(first - second) == 0)


# ---- Figures that agree to the last digit printed


@dataclass(frozen=True)
class Published:
    """A figure as its source prints it, and the model's value under the assumptions of that source."""

    source: str
    what: str
    printed: str
    value: Rational


LLM_VIEWER = "LLM-Viewer (hahnyuan/LLM-Viewer, model_analyzer.py), prefill, unfused"
BASETEN = "Baseten, A guide to LLM inference and performance"
JAX_TRANSFORMERS = "JAX, How to Scale Your Model (jax-ml/scaling-book), transformers.md"
JAX_INFERENCE = "JAX, How to Scale Your Model (jax-ml/scaling-book), inference.md"
FLASH_3 = "FlashAttention-3, arXiv 2407.08608, and its authors' post of July 2024"
NVIDIA_GEMM = "NVIDIA, Matrix Multiplication Background User's Guide, section 2"
PAGED = "PagedAttention, arXiv 2309.06180, section 3: OPT-13B"

llm_viewer = {"c": 5, "b": 2, "s": 512, "d": 128}
baseten = {"c": 3, "b": 2, "s": 4096, "d": 128}
SCORES_OF_8192_QUERIES = {
    keys: intensity(one_kernel(attention(query_rows=Integer(8192), key_rows=Integer(keys))[0]))
    for keys in (1, 128, 8192)
}

FIGURES = [
    Published(LLM_VIEWER, "OPs of a head", "135528448", at(flops(attention()), c=5, s=512, d=128)),
    Published(LLM_VIEWER, "bytes of a head", "2621440", at(b * traffic_elements(attention()), b=2, s=512, d=128)),
    Published(LLM_VIEWER, "arithmetic intensity", "51.7", at(intensity(attention()), **llm_viewer)),
    Published(BASETEN, "intensity of Llama 2 7B, ops/byte", "62", at(intensity(attention()), **baseten)),
    Published(BASETEN, "A10: 125 TF over 600 GB/s", "208.3", ridge("125", "0.6")),
    Published(JAX_INFERENCE, "TPU v5e: 1.97e14 over 8.2e11", "240", ridge("197", "0.82")),
    Published(
        JAX_TRANSFORMERS,
        "KV cache in int8, 64 layers, NH = 8192, 8k tokens, in GiB",
        "8",
        cache_bytes(layers=64, kv_heads=64, head_dim=128, tokens=8192, bytes_per_element=1) / 2**30,
    ),
    Published(
        JAX_TRANSFORMERS,
        "KV cache a token in int8, 64 layers, NH = 4096, in KiB (printed as kB)",
        "512",
        cache_bytes(layers=64, kv_heads=32, head_dim=128, tokens=1, bytes_per_element=1) / 2**10,
    ),
    Published(
        JAX_INFERENCE,
        "KV cache of LLaMA 2-13B at 8192 tokens in bf16, in GB",
        "6.7",
        cache_bytes(layers=40, kv_heads=40, head_dim=128, tokens=8192, bytes_per_element=2) / GIGA,
    ),
    Published(
        PAGED,
        "KV cache a token, in KiB (printed as KB)",
        "800",
        cache_bytes(layers=40, kv_heads=40, head_dim=128, tokens=1, bytes_per_element=2) / 2**10,
    ),
    Published(
        PAGED,
        "KV cache of 2048 tokens, in GiB (printed as GB)",
        "1.6",
        cache_bytes(layers=40, kv_heads=40, head_dim=128, tokens=2048, bytes_per_element=2) / 2**30,
    ),
    Published(
        NVIDIA_GEMM,
        "8192 x 128 x 8192 in fp16: the scores kernel with d = 8192",
        "124.1",
        at(SCORES_OF_8192_QUERIES[128], b=2, d=8192),
    ),
    Published(NVIDIA_GEMM, "V100: 125 TF over 900 GB/s", "138.9", ridge("125", "0.9")),
    Published(
        FLASH_3,
        "matrix FLOPs an exponential at d = 128",
        "512",
        at(flops(attention()).coeff(c, 0) / attention()[0].writes[0].elements, d=128, s=1),
    ),
]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: f"{figure.source.split(',')[0]}: {figure.what}")
def test_the_model_gives_the_printed_figure(figure: Published) -> None:
    last_place = Fraction(10) ** Decimal(figure.printed).as_tuple().exponent
    value = Fraction(int(figure.value.p), int(figure.value.q))
    assert abs(value - Fraction(figure.printed)) <= last_place / 2, float(value)


# ---- Formulas


def test_flash_attention_counts_the_products_alone() -> None:
    """Dao-AILab/flash-attention, benchmarks: 4 batch seqlen^2 nheads headdim, halved where causal; softmax is free."""
    assert same(flops(attention()).subs(c, 0), 4 * s**2 * d)
    assert same(flops(causal_attention()).subs(c, 0), 2 * s**2 * d)
    # Its rates are therefore lower than by this manual's count, by the share of A2.
    assert same(1 - flops(attention()).subs(c, 0) / flops(attention()), c / (4 * d + c))


def test_flash_attention_paper_on_standard_attention() -> None:
    """arXiv 2205.14135, theorem 2: standard attention makes Theta(N d + N^2) accesses. Here the constant is 4.

    For FlashAttention it says Theta(N^2 d^2 / M) with M elements of SRAM: at M = N d, where K and V fit, that is
    N d, the compulsory minimum of the model but for a constant.
    """
    assert same(traffic_elements(attention()), 4 * (s * d + s**2))
    sram = s * d
    assert same(traffic_elements(fuse(attention())), 4 * s**2 * d**2 / sram)


def test_palm_counts_twelve_for_a_training_step() -> None:
    """arXiv 2204.02311, appendix B: 6 N + 12 L H Q T FLOPs a token; nanoGPT and llm.c count the same.

    Forward and backward are three times the forward products, and the mask is not used: a token meets all T keys.
    """
    per_token_and_head = 3 * flops(attention()).subs(c, 0) / s
    assert same(per_token_and_head, 12 * d * s)


def test_llm_viewer_unfused_tensor_by_tensor() -> None:
    """It counts Q and K as one load, and the same elements as here."""
    scores, softmax, values = attention()
    for stage, elements in ((scores, 2 * s * d + s**2), (softmax, 2 * s**2), (values, s**2 + s * d + s * d)):
        assert same(stage.traffic_elements, elements)


def test_llm_viewer_fused_has_the_wrong_shape_of_output() -> None:
    """Its FlashAttention branch gives the output s x s elements in place of s x d, and counts one of K and V.

    In elements, with blocks of d query rows as it takes them: s d for Q, 2 s^2 for an output that is set up and
    stored, and one of K and V read once a block. At s = 512 and d = 128 that is 3.25 times the minimum, and longer
    sequences only make it worse: its "fused" intensity has a limit, where the real one grows with s.
    """
    length, head_dim = 512, 128
    blocks = ceil(length / head_dim)
    theirs = length * head_dim + 2 * length**2 + blocks * length * head_dim
    minimum = at(traffic_elements(fuse(attention())), s=length, d=head_dim)
    assert Rational(theirs) / minimum == Rational(13, 4)
    their_count = s * d + 2 * s**2 + (s / d) * s * d
    assert limit(flops(attention()) / (b * their_count), s, oo) == (4 * d + c) / (3 * b)
    assert limit(intensity(fuse(attention())), s, oo) is oo
    # With the output in its shape, and both of K and V, a block of d rows at a time moves this:
    tiled = s * d + s * d + 2 * (s / d) * s * d
    assert at(tiled, s=length, d=head_dim) == Rational(5, 2) * minimum


def test_baseten_takes_the_intensity_of_prefill_for_decode() -> None:
    """Its 62 ops/byte are those of N queries against N keys, unfused; its verdict is on one token at a time.

    Decode has one query: about one FLOP a byte. The verdict stands, by a far wider margin.
    """
    prefill = at(intensity(attention()), **baseten)
    decode = at(intensity(decode_attention()), **baseten)
    assert Rational("62.42") < prefill < Rational("62.43")
    assert Rational("0.98") < decode < 1
    assert decode < prefill < ridge("125", "0.6")
    # Its 116.6 for an A10G is cut off, not rounded, from 116.67.
    assert ridge("70", "0.6") == Rational(350, 3)


# ---- The JAX scaling book


@pytest.mark.parametrize("tokens", [1, 3, 16, 240])
def test_jax_grouped_attention(tokens: int) -> None:
    """T queries of G heads against S cached keys, softmax free, two bytes: T S G/(T G + S)."""
    operator = fuse(attention(query_rows=tokens * g, key_rows=s))
    assert same(intensity(operator).subs({c: 0, b: 2}), tokens * s * g / (tokens * g + s))


def test_jax_prefill_and_generation() -> None:
    """T = S gives T G/(G + 1); T = 1 gives S G/(S + G), which tends to G. F2 and F3 of the manual are the latter."""
    prefill = intensity(fuse(attention(query_rows=s * g, key_rows=s))).subs({c: 0, b: 2})
    assert same(prefill, s * g / (g + 1))
    generation = intensity(fuse(grouped_decode_attention())).subs({c: 0, b: 2})
    assert same(generation, s * g / (s + g))
    assert limit(generation, s, oo) == g
    one_head = intensity(fuse(decode_attention())).subs({c: 0, b: 2})
    assert same(one_head, generation.subs(g, 1))
    assert same(intensity(fuse(attention())).subs({c: 0, b: 2}), s / 2), "inference.md: T/2 for prefill"


def test_jax_disagrees_with_itself_on_the_crossover() -> None:
    """inference.md: compute-bound from about 480 tokens on; transformers.md, question 4: from S = 240 on.

    Both are T G/(G + 1) against a TPU v5e's 240: for one query head a KV head it takes twice the ridge, and 240 is
    what many heads that share one K and V tend to. The manual's D2 is the former.
    """
    tpu = {"peak_tflops_per_s": "197", "bandwidth_tb_per_s": "0.82", "softmax_flops_per_element": 0}
    crossover = solution(**tpu).classification.fused.smallest
    assert crossover.bound == 2 * ridge("197", "0.82") and crossover.value == 481
    prefill = intensity(fuse(attention(query_rows=s * g, key_rows=s))).subs({c: 0, b: 2})
    assert limit(prefill, g, oo) == s
    assert limit(prefill, g, oo).subs(s, 240) < ridge("197", "0.82") < limit(prefill, g, oo).subs(s, 241)


def test_jax_labels_gigabytes_as_gibibytes() -> None:
    """inference.md has 6.7 GB for a cache in its text and 6.7 GiB in its table: it is 6.71 GB or 6.25 GiB."""
    size = cache_bytes(layers=40, kv_heads=40, head_dim=128, tokens=8192, bytes_per_element=2)
    assert size == Rational(25, 4) * 2**30
    assert Rational("6.71") < size / GIGA < Rational("6.72")


# ---- NVIDIA and FlashAttention-3


def test_nvidia_on_square_and_on_flat_products() -> None:
    """8192 cubed has 2730 (cut off, not rounded, from 2730.67); a product with a vector always stays below 1."""
    assert int(at(SCORES_OF_8192_QUERIES[8192], b=2, d=8192)) == 2730
    vector = SCORES_OF_8192_QUERIES[1].subs(b, 2)
    assert limit(vector, d, oo) == Rational(8192, 8193)
    assert all(vector.subs(d, width) < 1 for width in (1, 8192, 10**9))


def test_flash_attention_3_on_exponentials() -> None:
    """989 TFLOP/s of products, 3.9 T/s of exponentials, 512 FLOPs for each: exponentials take half as long.

    The paper's factor of 256 between the two rates is that of the units in a clock cycle; 989 over 3.9 is 254, and
    the half is 49.5%. With the manual's conventions an exponential is one operation an element of S.
    """
    units = solution(peak_tflops_per_s="989", bandwidth_tb_per_s="3.35", exp_tops_per_s="3.9").softmax_units
    assert units is not None
    (exponentials,) = units.units
    assert units.product_flops_per_score == 512
    assert exponentials.over_products.number == Rational(989, 1) / Rational("3.9") / 512
    assert Rational("0.495") < exponentials.over_products.number < Rational("0.496")
    assert Rational(256, 512) == Rational(1, 2)
    assert units.limit.products, "overlapped, the products still take longest"
    # Serial, one waits for the other: two thirds of peak. In fp8 the products take half as long and the two are even.
    assert Rational("0.668") < units.serial_peak_share < Rational("0.669")
    fp8 = solution(
        peak_tflops_per_s="1978", bandwidth_tb_per_s="3.35", exp_tops_per_s="3.9", bytes_per_element=1
    ).softmax_units
    assert fp8 is not None
    assert Rational("0.99") < fp8.units[0].over_products.number < 1


def test_the_factor_of_256_is_that_of_a_clock_cycle() -> None:
    """An H100's multiprocessor does 4096 FLOPs of products and 16 exponentials a cycle; 132 of them at 1.83 GHz."""
    products, exponentials = (per_cycle * 132 * Rational("1.83e9") / TERA for per_cycle in (4096, 16))
    assert products / exponentials == 256
    assert Rational("989") < products < Rational("990")
    assert Rational("3.86") < exponentials < Rational("3.87")


# ---- Memory


def test_score_matrices_of_megatron() -> None:
    """arXiv 2205.05198, section 4: the softmax of a layer keeps 2 a s^2 b bytes, for a heads, b sequences, 16 bits.

    That is the P of E1; S takes as much again, before dropout and its mask.
    """
    part = solution(heads=96, batch=1, sequence_length=2048, head_dim=128).footprint
    assert part.layer_bytes.number == 2 * 96 * 2048**2
    assert part.both_layer_bytes == 2 * part.layer_bytes.number


# ---- Real devices: ridge point in FLOP/B and fused crossover at d = 128 with 5 FLOPs a softmax element


@pytest.mark.parametrize(
    ("stem", "ridge_printed", "crossover"),
    [
        ("a100", "153.0", 304),
        ("h100", "295.3", 585),
        ("h200", "206.1", 409),
        ("b200", "281.2", 558),
        ("mi300x", "246.7", 489),
        ("mi355x", "312.5", 619),
        ("tpu_v5e", "240.5", 477),
        ("tpu_v5p", "166.0", 329),
        ("tpu_v6e", "559.8", 1109),
        ("gaudi3", "500", 991),
        ("l40s", "419.0", 830),
        ("rtx4090", "163.9", 325),
    ],
)
def test_shipped_devices(stem: str, ridge_printed: str, crossover: int) -> None:
    part = solve(exercise(read_parameters(FOLDER / f"{stem}.toml"))).classification
    last_place = Fraction(10) ** Decimal(ridge_printed).as_tuple().exponent
    found = Fraction(int(part.ridge_figure.exact.p), int(part.ridge_figure.exact.q))
    assert abs(found - Fraction(ridge_printed)) <= last_place / 2
    assert part.fused.smallest.value == crossover
