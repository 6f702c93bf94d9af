"""HdrHistogram interval logs (.hlog) of compressed V2 histograms.

The log is described by HistogramLogWriter, the histogram by AbstractHistogram.encodeIntoByteBuffer, both of
https://github.com/HdrHistogram/HdrHistogram. A cell of the histogram holds the recorded integers from its lowest to its
highest; they are counted as recorded.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
import zlib
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from outlast.constraints.files import decode
from outlast.constraints.measurements.problems import Problems, one_of, shown
from outlast.constraints.measurements.sample import Cell, CellSample
from outlast.constraints.quantities import DURATION_UNITS, LARGEST

if TYPE_CHECKING:
    from outlast.constraints.measurements.read import SampleOptions

__all__ = ["read"]

#: The cookies of the two layers; the four bits that the mask clears say how wide a word is.
_COMPRESSED_V2: Final = 0x1C849304
_PAYLOAD_V2: Final = 0x1C849303
_WIDTH: Final = 0xF0
#: Older ones, in both layers.
_OLD: Final = {0x1C849308: "V0", 0x1C849309: "V0", 0x1C849301: "V1", 0x1C849302: "V1"}
_HEADER: Final = struct.Struct(">Iiiiqqd")
#: Bytes of one histogram, and of all of a log, unpacked.
_LARGEST_PAYLOAD: Final = 16 * 2**20
_LARGEST_LOG: Final = 128 * 2**20

_INTERVAL: Final = re.compile(r"(?:Tag=([^,\s]*),)?([0-9.]+),([0-9.]+),([0-9.]+),(\S+)")


class _FormatError(Exception):
    """A histogram that cannot be read, and why."""


def read(data: bytes, file: str, options: SampleOptions) -> CellSample:
    """Read the intervals of a log, those of one tag if there are several, and add them up.

    Raises:
        OutlastError, InputErrors: with the places of what is wrong.
    """
    text = decode(data, file)
    problems = Problems(file)
    chosen = _choose(list(_intervals(text, problems)), options.tag, problems)
    counts: dict[tuple[int, int], int] = {}
    unpacked = 0
    for line, col, blob in chosen:
        try:
            payload = _unpack(blob)
            unpacked += len(payload)
            if unpacked > _LARGEST_LOG:
                raise problems.fail(
                    f"expected histograms of at most {_LARGEST_LOG} bytes in all, found more", line, col
                )
            for low, high, count in _cells(payload):
                counts[low, high] = counts.get((low, high), 0) + count
        except _FormatError as error:
            problems.add(str(error), line, col)
    problems.raise_if_any()
    if not counts:
        raise problems.fail("expected at least one recorded value, found none")
    unit = DURATION_UNITS[options.unit or "ns"]
    if max(high for _, high in counts) * unit > LARGEST or sum(counts.values()) > LARGEST:
        raise problems.fail(
            f"expected durations of at most {LARGEST} ns and no more of them than that, found longer or more; is the unit right?"
        )
    return CellSample(
        [Cell(Fraction(low * unit), Fraction(high * unit), n) for (low, high), n in counts.items()], options.lost
    )


def _intervals(text: str, problems: Problems) -> Iterator[tuple[int, int, str | None, str]]:
    """Line and column of each histogram, the interval's tag, and the histogram."""
    for line, raw in enumerate(text.split("\n"), 1):
        raw = raw.rstrip()
        if not raw or raw.startswith(("#", '"')):
            continue
        match = _INTERVAL.fullmatch(raw)
        if match is None:
            problems.add(
                f"expected an interval of an HdrHistogram log (start, length, maximum, histogram), found {shown(raw)}",
                line,
            )
        else:
            yield line, match.start(5) + 1, match[1], match[5]


def _choose(
    intervals: list[tuple[int, int, str | None, str]], tag: str | None, problems: Problems
) -> list[tuple[int, int, str]]:
    problems.raise_if_any()
    tags = list(dict.fromkeys(found for _, _, found, _ in intervals))
    if not tags:
        raise problems.fail("expected the intervals of an HdrHistogram log, found none")
    named = [found for found in tags if found is not None]
    if tag is not None and tag not in named:
        found = f"the tags {one_of(named)}" if named else "no tags"
        raise problems.fail(f"expected intervals with the tag {shown(tag)}, found {found}")
    if tag is None and len(tags) > 1:
        others = "and intervals without tag" if None in tags else ""
        raise problems.fail(
            f"expected intervals of one tag, found the tags {one_of(named)} {others}".rstrip()
            + "; choose one with `tag:`"
        )
    return [(line, col, blob) for line, col, found, blob in intervals if tag is None or found == tag]


def _unpack(blob: str) -> bytes:
    """The payload of a compressed V2 histogram."""
    try:
        packed = base64.b64decode(blob, validate=True)
    except (binascii.Error, ValueError):
        raise _FormatError(f"expected a histogram in base64, found {shown(blob)}") from None
    if len(packed) < 8:
        raise _FormatError("expected a compressed histogram, found it cut off")
    cookie, length = struct.unpack(">II", packed[:8])
    kind = cookie & ~_WIDTH
    if kind in _OLD:
        raise _FormatError(
            f"expected a compressed V2 histogram, found {_OLD[kind]}, which is no longer read; write the log with a current HdrHistogram"
        )
    if kind != _COMPRESSED_V2:
        raise _FormatError(f"expected a compressed V2 histogram, found the cookie 0x{cookie:08x}")
    if len(packed) != 8 + length:
        raise _FormatError(f"expected {length} bytes of compressed histogram, found {len(packed) - 8}")
    decompressor = zlib.decompressobj()
    try:
        payload = decompressor.decompress(packed[8:], _LARGEST_PAYLOAD + 1)
    except zlib.error:
        raise _FormatError("expected zlib-compressed data, found it malformed") from None
    if len(payload) > _LARGEST_PAYLOAD:
        raise _FormatError(f"expected a histogram of at most {_LARGEST_PAYLOAD} bytes, found more")
    if not decompressor.eof:
        raise _FormatError("expected zlib-compressed data, found it cut off")
    return payload


def _cells(payload: bytes) -> Iterator[tuple[int, int, int]]:
    """Lowest and highest value, both included, and count of each cell that is not empty."""
    if len(payload) < _HEADER.size:
        raise _FormatError("expected a histogram's header, found it cut off")
    cookie, length, offset, digits, lowest, _, ratio = _HEADER.unpack_from(payload)
    if cookie & ~_WIDTH != _PAYLOAD_V2:
        raise _FormatError(f"expected a V2 histogram, found the cookie 0x{cookie:08x}")
    if offset != 0 or ratio != 1.0:
        raise _FormatError("expected a histogram of plain integers, found one that is shifted or scaled")
    if length != len(payload) - _HEADER.size:
        raise _FormatError(f"expected {length} bytes of counts, found {len(payload) - _HEADER.size}")
    if not 0 <= digits <= 5 or not 1 <= lowest <= LARGEST:
        raise _FormatError(
            f"expected up to 5 significant digits and a lowest value of at least 1, found {digits} and {lowest}"
        )
    # Values share a cell with those that have the same highest `half + 1` bits, above the unit.
    half = (2 * 10**digits - 1).bit_length() - 1
    unit = lowest.bit_length() - 1
    index = 0
    for word in _words(payload, _HEADER.size):
        if word < 0:  # a run of empty cells
            index -= word
            continue
        if word > 0:
            bucket, sub = (index >> half) - 1, (index & ((1 << half) - 1)) + (1 << half)
            if bucket < 0:
                bucket, sub = 0, index
            if bucket + unit + half >= 63:
                raise _FormatError("expected counts of values below 2^63, found one beyond")
            low = sub << (bucket + unit)
            yield low, low + (1 << (bucket + unit)) - 1, word
        index += 1


def _words(payload: bytes, position: int) -> Iterator[int]:
    """Signed integers in ZigZag LEB128, of which a ninth byte has eight bits."""
    end = len(payload)
    while position < end:
        value = shift = 0
        while True:
            if position == end:
                raise _FormatError("expected a count, found it cut off")
            byte = payload[position]
            position += 1
            if shift == 56:
                value |= byte << shift
                break
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
        yield (value >> 1) ^ -(value & 1)
