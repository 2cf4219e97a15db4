"""The parameter file: which keys it has, what each may hold, and how it is read.

A number is kept exactly as written: 3.35 is the fraction 67/20, never the nearest binary float.
A mistake in the file is never a traceback: all of them are collected, one line each, in ParameterFaults.
"""

from __future__ import annotations

import os
import re
import select
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation
from difflib import SequenceMatcher
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema, ErrorDetails, core_schema

# Limits beyond any real device or model, which keep every later computation short and every line printed on its page.
MOST_DIGITS = 12
LARGEST_SIZE = 10**6  # head dimension, batch, heads, rows of a block, query heads a KV head
LARGEST_LENGTH = 10**9  # of a sequence
LONGEST_LIST = 24
LONGEST_NAME = 80
LONGEST_LABEL = 40
LARGEST_FILE_BYTES = 65_536
MOST_FAULTS_TOLD = 20
PATIENCE_S = 10  # with a pipe that nothing comes from

_LONGEST_QUOTE = 60  # characters of the user's text that a message repeats
_MOST_ENTRIES_NAMED = 3  # faulty entries of one list that a message spells out


class ParameterFaults(Exception):
    """Every fault found in a parameter file and its overrides: `messages`, one line each."""

    def __init__(self, messages: Sequence[str]) -> None:
        super().__init__(messages)
        self.messages = tuple(messages)

    def __str__(self) -> str:
        """A screen of them at the most."""
        told, untold = self.messages[:MOST_FAULTS_TOLD], len(self.messages) - MOST_FAULTS_TOLD
        more = f"... and {untold:,} more {'fault' if untold == 1 else 'faults'}"
        return "\n".join([*told, more] if untold > 0 else told)


# ---- What a value may be


@dataclass(frozen=True)
class _Real:
    """A TOML float as its author wrote it: it becomes a number only once its size is known to be sane."""

    text: str


@dataclass(frozen=True)
class _Kind:
    """What a key may hold: `expected` tells the user; `read` returns it or raises ValueError(what it got)."""

    expected: str
    read: Callable[[object], object]

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read)


def _read_number(value: object, least: Decimal, most: Decimal, zero_allowed: bool) -> Fraction:
    number = _decimal(value)
    if number == 0 and zero_allowed:
        return Fraction(0)
    # The size is judged while a Decimal: as a fraction, 1e999999999 would fill the memory.
    if number is None or not least <= number <= most or _digits(number) > MOST_DIGITS:
        raise ValueError(_describe(value))
    return Fraction(number)


def _decimal(value: object) -> Decimal | None:
    """The number as written; None for NaN, infinities, exponents beyond Decimal, and what is no number."""
    if type(value) is int:  # not isinstance: True is an instance of int
        return Decimal(value)
    if isinstance(value, _Real):
        with suppress(InvalidOperation):
            number = Decimal(value.text)
            return number if number.is_finite() else None
    return None


def _digits(number: Decimal) -> int:
    """Significant ones: zeros at the end of 1000 or 0.500 are none."""
    return len("".join(map(str, number.as_tuple().digits)).strip("0"))


def _read_integer(value: object, most: int) -> int:
    if type(value) is not int or not 1 <= value <= most:
        raise ValueError(_describe(value))
    return value


def _read_choice(value: object, choices: Sequence[str]) -> str:
    if value not in choices:
        raise ValueError(_describe(value))
    return str(value)


def _read_text(value: object, longest: int) -> str:
    if not isinstance(value, str) or len(value) > longest or not value.isprintable() or not value.strip():
        raise ValueError(_describe(value))
    return value


def _read_increasing_integers(value: object, most: int) -> tuple[int, ...]:
    if not isinstance(value, list) or not 1 <= len(value) <= LONGEST_LIST:
        raise ValueError(_describe(value))
    entries: list[int] = []
    faults = []
    for position, entry in enumerate(value, start=1):
        try:
            entries.append(_read_integer(entry, most))
        except ValueError as fault:
            faults.append(f"{fault} (entry {position})")
            continue
        if entries[:-1] and entries[-1] <= entries[-2]:
            faults.append(f"{entries[-1]} after {entries[-2]} (entry {position})")
    if faults:
        named, unnamed = faults[:_MOST_ENTRIES_NAMED], len(faults) - _MOST_ENTRIES_NAMED
        raise ValueError(", ".join(named) + (f" and {unnamed} more" if unnamed > 0 else ""))
    return tuple(entries)


def _describe(value: object) -> str:
    """A value as a message names it; lists and tables only in kind, as repr fails where they nest deeply."""
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, int):
        # Python itself refuses to write out an integer of thousands of digits.
        return f"the integer {value}" if abs(value) < 10**_LONGEST_QUOTE else "an integer of too many digits"
    if isinstance(value, _Real):
        return f"the real number {_shown(value.text)}"
    if isinstance(value, str):
        length = f" of {len(value)} characters" if len(value) > _LONGEST_QUOTE else ""
        return f"the text '{_shown(value)}'{length}"
    if isinstance(value, list):
        return f"a list of {len(value)} entries" if value else "an empty list"
    return "a table" if isinstance(value, dict) else f"the date or time {value}"


def _printable(text: str) -> str:
    return text if text.isprintable() else repr(text)[1:-1]


def _shown(text: str) -> str:
    """What the user wrote, on one printable line and cut where it is long."""
    printable = _printable(text)
    return printable if len(printable) <= _LONGEST_QUOTE else f"{printable[: _LONGEST_QUOTE - 3]}..."


def _number(least: str, most: str, zero_allowed: bool = False) -> _Kind:
    """A real number: `least` to `most`, perhaps also 0."""
    zero = "0, or " if zero_allowed else ""
    expected = f"a finite number, {zero}{least} to {most}, in at most {MOST_DIGITS} digits"
    read = partial(_read_number, least=Decimal(least), most=Decimal(most), zero_allowed=zero_allowed)
    return _Kind(expected, read)


def _count(most: int) -> _Kind:
    return _Kind(f"an integer from 1 to {most:,}", partial(_read_integer, most=most))


def _counts(most: int) -> _Kind:
    expected = f"a strictly increasing list of 1 to {LONGEST_LIST} integers from 1 to {most:,}"
    return _Kind(expected, partial(_read_increasing_integers, most=most))


def _choice(*choices: str) -> _Kind:
    return _Kind(" or ".join(f"'{choice}'" for choice in choices), partial(_read_choice, choices=choices))


_RATE = _number("1e-6", "1e9")
_SIZE, _SIZES = _count(LARGEST_SIZE), _counts(LARGEST_SIZE)
_LENGTH, _LENGTHS = _count(LARGEST_LENGTH), _counts(LARGEST_LENGTH)


def _text(longest: int) -> _Kind:
    expected = f"text of 1 to {longest} printable characters, not all blank"
    return _Kind(expected, partial(_read_text, longest=longest))


# ---- The tables, in the order in which they are written back


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Device(_Table):
    """The machine: rates in 10^12 FLOP, bytes or exponentials a second, capacity in 10^9, its cache in 10^6 bytes."""

    name: Annotated[str, _text(LONGEST_NAME)]
    peak_tflops_per_s: Annotated[Fraction, _RATE]
    bandwidth_tb_per_s: Annotated[Fraction, _RATE]
    capacity_gb: Annotated[Fraction, _RATE]
    vector_tflops_per_s: Annotated[Fraction | None, _RATE] = None
    exp_tops_per_s: Annotated[Fraction | None, _RATE] = None
    last_level_cache_mb: Annotated[Fraction | None, _RATE] = None


class Workload(_Table):
    """One head: its elements (bytes each), FLOPs of softmax an element, d, reference s in tokens, rows of a block."""

    dtype: Annotated[str, _text(LONGEST_LABEL)]
    bytes_per_element: Annotated[Fraction, _number("0.125", "64")]
    softmax_flops_per_element: Annotated[Fraction, _number("1e-6", "1e4", zero_allowed=True)]
    head_dim: Annotated[int, _SIZE]
    sequence_length: Annotated[int, _LENGTH]
    query_block_rows: Annotated[int | None, _SIZE] = None


class Layer(_Table):
    """A layer computes `batch` sequences of `heads` heads each."""

    batch: Annotated[int, _SIZE]
    heads: Annotated[int, _SIZE]


class Tables(_Table):
    """The rows of the manual's tables: sequence lengths in tokens, group sizes in query heads a KV head."""

    traffic_ratio_sequence_lengths: Annotated[tuple[int, ...], _LENGTHS]
    intensity_sequence_lengths: Annotated[tuple[int, ...], _LENGTHS]
    query_group_sizes: Annotated[tuple[int, ...], _SIZES]


class Page(_Table):
    """What the manual is printed on."""

    paper: Annotated[str | None, _choice("a4", "letter")] = None


class Parameters(_Table):
    """A valid parameter file. An optional key that it leaves out is None."""

    device: Device
    workload: Workload
    layer: Layer
    tables: Tables
    page: Page = Page()

    def as_json(self) -> dict[str, dict[str, Any]]:
        """Nested dicts for the json module."""
        written: dict[str, dict[str, Any]] = {}
        for table, key, value in self._entries():
            written.setdefault(table, {})[key] = _json_value(value)
        return written

    def toml_lines(self) -> list[tuple[str, str]]:
        """Each key that has a value, with the value as TOML: ("workload.head_dim", "128")."""
        return [(f"{table}.{key}", _toml_value(value)) for table, key, value in self._entries()]

    def _entries(self) -> Iterator[tuple[str, str, object]]:
        for table, key in _KINDS:
            value = getattr(getattr(self, table), key)
            if value is not None:
                yield table, key, value


_TABLES: Mapping[str, type[_Table]] = {
    "device": Device,
    "workload": Workload,
    "layer": Layer,
    "tables": Tables,
    "page": Page,
}
_KINDS: Mapping[tuple[str, str], _Kind] = {
    (table, key): next(mark for mark in field.metadata if isinstance(mark, _Kind))
    for table, model in _TABLES.items()
    for key, field in model.model_fields.items()
}


def _json_value(value: object) -> object:
    if not isinstance(value, Fraction):
        return list(value) if isinstance(value, tuple) else value
    if value.denominator == 1:
        return value.numerator
    return float(value)  # exact as written: no value has more digits than a float keeps


def _toml_value(value: object) -> str:
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if isinstance(value, tuple):
        return f"[{', '.join(map(str, value))}]"
    return _decimal_text(value) if isinstance(value, Fraction) else str(value)


def _decimal_text(value: Fraction) -> str:
    """The exact decimal. There always is one: the value was read from at most MOST_DIGITS digits."""
    context = Context(prec=MOST_DIGITS)
    decimal = context.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize(context)
    # With an exponent where zeros would fill the line; also, TOML promises no integers past 2^63.
    return f"{decimal:f}" if -6 <= decimal.adjusted() < 18 else f"{decimal:e}"


# ---- Reading


def read_parameters(path: Path, overrides: Sequence[str] = ()) -> Parameters:
    """The parameters in the file at `path`, with each `KEY=VALUE` of `overrides` put in, the later winning.

    Raises ParameterFaults for whatever the user mends by writing or naming the file or an override
    otherwise, and lets OSError through where the system refuses a file that is there.
    """
    return parameters_in(path)(overrides)


def parameters_in(path: Path) -> Callable[[Sequence[str]], Parameters]:
    """What `read_parameters` says of the file at `path`, read once for any number of overrides."""
    return partial(_build, cache(partial(_read_file, path)), str(path))


def parse_parameters(text: str, name: str, overrides: Sequence[str] = ()) -> Parameters:
    """Like read_parameters, for text that comes from no file; messages call it `name`."""
    # As bytes, so that a lone surrogate meets the same check as a file in another encoding.
    return _build(partial(text.encode, "utf-8", "surrogatepass"), name, overrides)


def toml_items(text: str) -> list[str]:
    """Several TOML values with commas between them, each as TOML again; none where the text is no such thing."""
    if not text.isprintable():
        return []
    try:
        return [_written_again(value) for value in _load_toml(f"value = [{text}]")["value"]]
    except ValueError:
        return []


def _written_again(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_written_again, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return value.text if isinstance(value, _Real) else _toml_value(value)


@dataclass(frozen=True)
class _Override:
    """One `KEY=VALUE` of the command line: where its value goes, or the fault in how it is written."""

    source: str
    place: tuple[str, ...] = ()
    value: object = None
    fault: str | None = None


def _build(read: Callable[[], bytes], name: str, overrides: Sequence[str]) -> Parameters:
    name = _printable(name)
    settings = [_read_override(setting) for setting in overrides]
    data: dict[str, Any] = {}
    ranked_faults = []
    try:
        data = _load_toml(_decode(read()))
    except ValueError as fault:
        ranked_faults.append(((-1, -1), f"{name}: {fault}"))
    unread = bool(ranked_faults)
    ranks = _ranks(data)
    sources: dict[tuple[str, ...], str] = {}
    for row, setting in enumerate(settings):
        if setting.fault:
            ranked_faults.append(((_LAST + 1, row), f"{name}: {setting.fault}"))
        # Where the file has a value in the table's place, that is the fault, and this one has nowhere to go.
        elif isinstance(keys := data.setdefault(setting.place[0], {}), dict):
            keys[setting.place[1]] = setting.value
            ranks[setting.place] = (_LAST + 1, row)
            sources[setting.place] = f"{name}: {setting.source}"
    try:
        parameters = Parameters.model_validate(data)
    except ValidationError as error:
        found = []
        for details in error.errors(include_url=False):
            place = tuple(map(str, details["loc"]))
            if unread and place not in sources:  # of what could not be read, nothing is known to be missing
                continue
            found.append((ranks.get(place) or (ranks.get(place[:-1], (_LAST, 0))[0], _LAST), place, details))
        # The nearest key is looked for only where that will be told.
        for row, (rank, place, details) in enumerate(sorted(found, key=lambda fault: fault[0])):
            explained = _explain(place, details) if row < MOST_FAULTS_TOLD else f"expected {place[-1]} otherwise"
            ranked_faults.append((rank, f"{sources.get(place, name)}: {_dotted(place)}: {explained}"))
    if ranked_faults:
        raise ParameterFaults([message for _, message in sorted(ranked_faults, key=lambda fault: fault[0])])
    return parameters


_LAST = LARGEST_FILE_BYTES  # no file has as many tables, nor a table as many keys


def _ranks(data: Mapping[str, object]) -> dict[tuple[str, ...], tuple[int, int]]:
    """Where in the file each table and key stands, for faults to be told in that order."""
    ranks: dict[tuple[str, ...], tuple[int, int]] = {}
    for row, (table, keys) in enumerate(data.items()):
        ranks[(table,)] = (row, -1)
        if isinstance(keys, dict):
            ranks |= {(table, key): (row, column) for column, key in enumerate(keys)}
    return ranks


def _read_file(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise ValueError("expected a parameter file, got a folder")
        if path.exists() and not path.is_file():
            return _read_stream(path)
        with path.open("rb") as file:
            return file.read(LARGEST_FILE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise ValueError("expected a parameter file, got nothing: there is no such file") from None


def _read_stream(path: Path) -> bytes:
    """What comes from a pipe or a device, as a shell's <(program) is one, without waiting for ever."""
    stream = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    content = b""
    try:
        while len(content) <= LARGEST_FILE_BYTES:
            if not select.select([stream], [], [], PATIENCE_S)[0]:
                raise ValueError("expected a parameter file, got a pipe that nothing comes from")
            if not (piece := os.read(stream, LARGEST_FILE_BYTES)):
                break
            content += piece
    finally:
        os.close(stream)
    return content


def _decode(content: bytes) -> str:
    if len(content) > LARGEST_FILE_BYTES:
        raise ValueError(f"expected a parameter file of at most {LARGEST_FILE_BYTES} bytes, got more")
    try:
        return content.decode("utf-8").removeprefix("\ufeff")  # the mark that editors on Windows put first
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        got = f"the byte 0x{content[error.start]:02x} at offset {error.start}"
        raise ValueError(f"line {line}: expected text in UTF-8, got {got}") from None


# A line with more dots than its numbers can have is a key of a hundred parts, for which tomllib would take minutes.
MOST_DOTS_IN_A_LINE = 2 * LONGEST_LIST
_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'')


def _refuse_long_keys(text: str) -> None:
    for row, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > MOST_DOTS_IN_A_LINE and _QUOTED.sub("", line).count(".") > MOST_DOTS_IN_A_LINE:
            raise ValueError(f"line {row}: expected a key as in workload.head_dim, got one of too many parts")


def _load_toml(text: str) -> dict[str, Any]:
    _refuse_long_keys(text)
    try:
        # The closing newline makes tomllib give the line, not "end of document", for a fault in the last one.
        return tomllib.loads(f"{text}\n", parse_float=_Real)
    except tomllib.TOMLDecodeError as error:
        where = re.search(r" \(at line (\d+), column (\d+)\)$", str(error))
        if where is None:  # something left open to the end of the file
            raise ValueError(f"expected TOML, got an unfinished file: {_shown(str(error))}") from None
        written = text.split("\n")[int(where[1]) - 1].strip()
        got = f"'{_shown(written)}' ({_shown(str(error)[: where.start()])})"
        raise ValueError(f"line {where[1]}, column {where[2]}: expected TOML, got {got}") from None
    except RecursionError:
        raise ValueError("expected TOML, got lists or tables nested too deeply") from None
    except ValueError:  # Python's own limit on the digits of an integer
        raise ValueError("expected TOML, got an integer of too many digits") from None


def _read_override(setting: str) -> _Override:
    source = f"--set {_shown(setting)}"
    # A newline in the value would let it set further keys.
    if "=" not in setting or not setting.isprintable():
        return _Override(source, fault=f"{source}: expected KEY=VALUE on one line of printable text")
    key, _, written = setting.partition("=")
    place = tuple(key.strip().split("."))
    if place not in _KINDS:
        return _Override(source, fault=f"{source}: {_dotted(place)}: {_explain_unknown(place, _KINDS)}")
    try:
        return _Override(source, place, _load_toml(f"value = {written}")["value"])
    except ValueError:
        wrong = f"expected a TOML value, with text in quotes, got '{_shown(written.strip())}'"
        return _Override(source, fault=f"{source}: {_dotted(place)}: {wrong}")


# ---- Saying what is wrong


def _explain(place: tuple[str, ...], details: ErrorDetails) -> str:
    """The fault that pydantic found at `place`, in our words."""
    if details["type"] == "extra_forbidden":
        tables = [(table,) for table in _TABLES] if len(place) == 1 else []
        return _explain_unknown(place, [*_KINDS, *tables])
    if len(place) == 1:
        fields = _TABLES[place[0]].model_fields
        keys = ", ".join(key for key, field in fields.items() if field.is_required())
        expected = f"the table [{place[0]}] with the keys {keys}"
    else:
        expected = _KINDS[place[0], place[1]].expected
    if details["type"] == "missing":
        return f"expected {expected}, got nothing: it is missing"
    got = details["ctx"]["error"] if details["type"] == "value_error" else _describe(details["input"])
    return f"expected {expected}, got {got}"


def _explain_unknown(place: tuple[str, ...], known: Iterable[tuple[str, ...]]) -> str:
    # The last part counts twice, so that a key put into the wrong table leads to its right one.
    def likeness(other: tuple[str, ...]) -> float:
        return _ratio(place[-1], other[-1]) + _ratio(".".join(place), ".".join(other))

    nearest = max(known, key=likeness)
    return f"expected a known key, got an unknown one; the nearest is {'.'.join(nearest)}"


def _ratio(written: str, known: str) -> float:
    return SequenceMatcher(None, _shown(written), known).ratio()


def _dotted(place: tuple[str, ...]) -> str:
    return ".".join(_shown(part) if re.fullmatch(r"[\w-]+", part) else f"'{_shown(part)}'" for part in place)
