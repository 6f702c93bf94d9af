"""Measurements of a spec: their options, their files, and the bounds that rules ask of them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from outlast.constraints.document import Entry, Scalar
from outlast.constraints.document import Mapping as MappingNode
from outlast.constraints.errors import InputErrors, OutlastError, printable
from outlast.constraints.expression import Quantile
from outlast.constraints.files import LARGEST_FILE
from outlast.constraints.loading.layers import MEASUREMENT_FORMATS, Item
from outlast.constraints.loading.problems import Problems, quoted
from outlast.constraints.loading.quantiles import Side
from outlast.constraints.loading.tree import Tree
from outlast.constraints.loading.values import read_date, read_origin, scalar_of
from outlast.constraints.measurements import Measurement, OptionError, QuantileError, SampleOptions, read_sample
from outlast.constraints.progress import doing
from outlast.constraints.quantities import DURATION_UNITS, LARGEST

__all__ = ["MeasurementReader"]

_MOST_LABELS: Final = 100


class MeasurementReader:
    """Reads measurement files and computes bounds, each once."""

    def __init__(self, tree: Tree, folders: Mapping[str, str], problems: Problems) -> None:
        self.problems = problems
        #: The files that were read.
        self.paths: list[str] = []
        self._tree = tree
        self._folders = folders
        self._bounds: set[tuple[str, Fraction, Side]] = set()

    def read(self, name: str, item: Item) -> Measurement | None:
        """One measurement; None if it cannot be read, the reason being among the problems."""
        problems, before = self.problems, len(self.problems)
        if "" in item.keys:
            return None
        formats = [key for key in MEASUREMENT_FORMATS if key in item.keys]
        if not formats and item.is_incomplete:
            return None
        if len(formats) != 1:
            found = " and ".join(formats) or "none of them"
            expected = ", ".join(MEASUREMENT_FORMATS[:-1]) + " or " + MEASUREMENT_FORMATS[-1]
            place = item.keys[formats[1]].key.place if formats else item.name.place
            problems.add(f"expected one of {expected} with the path of a file, found {found}", place)
            return None
        file = scalar_of(item.keys[formats[0]], "the path of a file", problems)
        texts = {key: scalar_of(item.keys.get(key), "a text", problems) for key in ("unit", "column", "metric", "tag")}
        unit = texts["unit"]
        if unit is not None and unit.text not in DURATION_UNITS:
            problems.add(f"expected a unit (ns, us, ms, s, min, m, h, d), found {quoted(unit.text)}", unit.place)
        labels = _read_labels(item.keys.get("labels"), problems)
        lost = _read_lost(item.keys.get("lost"), problems)
        taken = read_date(item, "taken", problems)
        origin = read_origin(item, problems)
        if file is None or len(problems) > before:
            return None
        path = os.path.join(self._folders.get(file.place.file, ""), file.text)
        doing("reading measurements: {}", file.text)
        try:
            data = self._tree.read(path, file.place, LARGEST_FILE)
            self.paths.append(path)
            options = SampleOptions(
                format=formats[0],
                labels=labels,
                lost=lost,
                unit=_text(texts["unit"]),
                column=_text(texts["column"]),
                metric=_text(texts["metric"]),
                tag=_text(texts["tag"]),
            )
            sample = read_sample(data, printable(os.path.normpath(path)), options)
        except OptionError as error:
            entry = item.keys.get(error.option)
            problems.add(error.message, entry.key.place if entry else file.place)
            return None
        except (OutlastError, InputErrors) as error:
            problems.add_foreign(error, file.place)
            return None
        return Measurement(
            name=name,
            place=item.name.place,
            file=file.text,
            sample=sample,
            taken=taken,
            why=origin.why,
            source=origin.source,
            owner=origin.owner,
            reviewed=origin.reviewed,
            review_by=origin.review_by,
        )

    def read_all(self, items: Mapping[str, Item]) -> dict[str, Measurement]:
        """All measurements that can be read, by name."""
        found = ((name, self.read(name, item)) for name, item in sorted(items.items()))
        return {name: measurement for name, measurement in found if measurement is not None}

    def check_bound(
        self,
        text: Scalar,
        quantile: Quantile,
        side: Side,
        measurements: Mapping[str, Measurement],
        confidence: Fraction,
    ) -> None:
        """Note why a quantile's bound cannot be computed, at the quantile's first use."""
        key = (quantile.measurement, quantile.level, side)
        measurement = measurements.get(quantile.measurement)
        if measurement is None or key in self._bounds:
            return
        self._bounds.add(key)
        bound = measurement.sample.upper if side == "upper" else measurement.sample.lower
        try:
            bound(quantile.level, confidence)
        except QuantileError as error:
            self.problems.add(error.message, text.at(quantile.span[0]))


def _text(scalar: Scalar | None) -> str | None:
    return None if scalar is None else scalar.text


def _read_labels(entry: Entry | None, problems: Problems) -> dict[str, str] | None:
    """`labels: { method: GET }`."""
    if entry is None:
        return None
    if not isinstance(entry.value, MappingNode):
        problems.add("expected labels such as { method: GET }, found something else", entry.value.place)
        return {}
    labels: dict[str, str] = {}
    for label in entry.value.entries[:_MOST_LABELS]:
        if isinstance(label.value, Scalar):
            labels[label.key.text] = label.value.text
        else:
            problems.add("expected the text of a label, found something else", label.value.place)
    return labels


def _read_lost(entry: Entry | None, problems: Problems) -> int:
    """How many samples never came back."""
    scalar = scalar_of(entry, "a whole number", problems)
    if scalar is None:
        return 0
    text = scalar.text
    if text.isascii() and text.isdigit() and len(text) <= 19 and int(text) <= LARGEST:
        return int(text)
    problems.add(f"expected a whole number, found {quoted(text)}", scalar.place)
    return 0
