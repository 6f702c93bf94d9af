"""Findings that were there before: written to a file, and told apart from new ones by rule, files and values, never by line.

After ESLint's and PHPStan's baselines; that values are part of the key keeps a value that gets worse from hiding behind an old finding.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Final

from outlast.constraints.check import (
    ABOUT_RULES,
    RULES_ABOUT_IGNORING,
    CheckOutcome,
    Finding,
    FindingKind,
    rule_of,
    shown_file,
    value_places,
    values_of,
)
from outlast.constraints.errors import OVERRIDE, InputErrors, OutlastError, Place, printable
from outlast.constraints.files import decode, open_regular
from outlast.constraints.quantities import Value, format_value, value_text
from outlast.constraints.record import record, replace

__all__ = ["Baseline", "Entry", "baseline_text", "entry_of", "read_baseline", "without_known"]

_VERSION: Final = 1
#: In bytes; ten thousand findings take some three million.
_LARGEST: Final = 16 * 2**20
_MOST: Final = 50_000
_KEYS: Final = ("rule", "kind", "subject", "files", "values")


@record(kw_only=True)
class Entry:
    """What makes a finding the same one."""

    rule: str
    kind: str
    #: Of a spec, the rule's id or the parameter; without one kinds and parameters of the values, as components have no lasting names.
    subject: str
    #: The files that it is about, from the folder of the baseline on; sorted.
    files: tuple[str, ...]
    #: By name, as exact texts; sorted.
    values: tuple[tuple[str, str], ...]

    @property
    def key(self) -> tuple[object, ...]:
        """All of it, in the order of the file."""
        return self.rule, self.subject, self.kind, self.files, self.values


class Baseline:
    """Entries, each of which stands for one finding."""

    def __init__(self, entries: Iterable[Entry], folder: str) -> None:
        #: That the files of findings are seen from.
        self.folder = folder
        self._left = Counter(entry.key for entry in entries)

    def takes(self, entry: Entry) -> bool:
        """Whether a finding is among those of before; one that is there twice is only if it was."""
        if self._left[entry.key] <= 0:
            return False
        self._left[entry.key] -= 1
        return True

    @property
    def left(self) -> int:
        """How many entries were not asked for: these findings occur no longer."""
        return self._left.total()


def without_known(outcome: CheckOutcome, baseline: Baseline) -> CheckOutcome:
    """The outcome with what the baseline has apart."""
    kept: list[Finding] = []
    known: list[Finding] = []
    for finding in outcome.findings:
        (known if baseline.takes(entry_of(finding, outcome, baseline.folder)) else kept).append(finding)
    return replace(outcome, findings=tuple(kept), known=tuple(known), mended=baseline.left)


def entry_of(finding: Finding, outcome: CheckOutcome | None, folder: str) -> Entry:
    """A finding as a baseline in `folder` has it; without an outcome, one about comments."""
    if outcome is None or finding.kind in RULES_ABOUT_IGNORING:
        kind, told = finding.kind, [] if finding.kind is not FindingKind.MISUNDERSTOOD else [("found", finding.message)]
        return Entry(
            rule=RULES_ABOUT_IGNORING[kind], kind=kind.value, subject=finding.subject, values=tuple(told),
            files=(_seen_from(folder, finding.place.file),),
        )  # fmt: skip
    values = dict(values_of(finding, outcome, lambda file: _seen_from(folder, file)))
    subject = finding.subject
    places = (finding.place, *value_places(finding, outcome))
    files = {_seen_from(folder, place.file) for place in places if place.file != OVERRIDE}
    if not outcome.spec.sources:  # components have no lasting names
        subject = ", ".join(sorted({name.rpartition(" ")[2] for name in values}))
        files = {name.rpartition(" ")[0] for name in values}
    return Entry(
        rule=rule_of(finding, outcome),
        kind=finding.kind.value,
        subject=subject,
        files=tuple(sorted(files)),
        values=tuple(sorted({**values, **_further(finding, outcome)}.items())),
    )


def _further(finding: Finding, outcome: CheckOutcome) -> Mapping[str, str]:
    """What measurements and the rule's own numbers make of the values, and what a file says that differs."""
    if finding.kind is FindingKind.DIFFERS:
        parameter = outcome.spec.parameters[finding.subject]
        found: Value | None = None
        for each in outcome.spec.differences:
            if each.parameter == finding.subject and each.place == finding.place:
                found = each.found
        if found is None and finding.subject in outcome.spec.in_files:
            found = outcome.spec.in_files[finding.subject][0]
        return {} if found is None else {"in the file": value_text(found, parameter.kind)}
    checked = outcome.rules.get(finding.subject)
    verdict = None if checked is None else checked.verdict
    if finding.kind not in ABOUT_RULES or verdict is None or verdict.decisive is None:
        return {}
    judged = verdict.decisive
    sides, exponent = {"smaller side": judged.left, "larger side": judged.right}, judged.comparison.time_exponent
    return {w: format_value(s, exponent) if isinstance(s, Fraction) else s.value for w, s in sides.items()}


def _seen_from(folder: str, file: str) -> str:
    """A file as seen from a folder, the same wherever outlast was started; one on another drive by its whole path."""
    path = os.path.abspath(file)
    path = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    try:
        return shown_file(os.path.relpath(path, os.path.realpath(folder)))
    except ValueError:
        return shown_file(path)


def baseline_text(entries: Iterable[Entry]) -> str:
    """The file: one finding a line, sorted, so that a change of it can be read; the same findings give the same bytes."""
    lines = [
        json.dumps(
            {
                "rule": each.rule,
                "kind": each.kind,
                "subject": each.subject,
                "files": list(each.files),
                "values": dict(each.values),
            }
        )
        for each in sorted(entries, key=lambda each: each.key)
    ]
    inside = "".join(f"\n    {line}{',' if number < len(lines) else ''}" for number, line in enumerate(lines, start=1))
    return f'{{\n  "version": {_VERSION},\n  "findings": [{inside}{chr(10) + "  " if lines else ""}]\n}}\n'


def read_baseline(path: str) -> Baseline:
    """Read such a file.

    Raises:
        InputErrors: it cannot be read, is no JSON, of another version or of another shape.
    """
    shown = printable(path)
    try:
        data = open_regular(path, _LARGEST)
        entries = _entries(decode(data, shown), shown)
    except OutlastError as error:
        place = error.place or Place(shown, 1, 1)
        raise InputErrors("the baseline cannot be used", [OutlastError(error.message, place)]) from None
    return Baseline(entries, os.path.dirname(os.path.abspath(path)))


def _entries(text: str, file: str) -> Sequence[Entry]:
    top = Place(file, 1, 1)
    try:
        document = json.loads(text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        message = f"expected a baseline in JSON, found it malformed: {error.msg.lower()}"
        raise OutlastError(message, Place(file, error.lineno, error.colno)) from None
    except RecursionError:
        raise OutlastError("expected a baseline in JSON, found it nested too deeply", top) from None
    except _TwiceError as error:
        raise OutlastError(f"expected each key once, found '{printable(str(error))[:60]}' twice", top) from None
    where = _Where(text, file)
    if not isinstance(document, dict) or document.keys() != {"version", "findings"}:
        raise OutlastError("expected an object with 'version' and 'findings', as --write-baseline writes it", top)
    if document["version"] != str(_VERSION):
        raise OutlastError(f"expected version {_VERSION}, the only one so far", where.of(("version",)))
    found = document["findings"]
    if not isinstance(found, list):
        raise OutlastError("expected a list of findings", where.of(("findings",)))
    if len(found) > _MOST:
        raise OutlastError(f"expected at most {_MOST} findings, found {len(found)}", where.of(("findings",)))
    return [_entry(each, partial(where.of, ("findings", number))) for number, each in enumerate(found)]


class _TwiceError(Exception):
    """A key that an object has twice."""


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise _TwiceError(key)
        found[key] = value
    return found


def _entry(node: object, place: Callable[[], Place]) -> Entry:
    if not isinstance(node, dict) or node.keys() != set(_KEYS):
        raise OutlastError(f"expected an object with {', '.join(_KEYS)}, found something else", place())
    files, values = node["files"], node["values"]
    for key in ("rule", "kind", "subject"):
        if type(node[key]) is not str:
            raise OutlastError(f"expected a text as '{key}', found something else", place())
    if not isinstance(files, list) or not all(isinstance(file, str) for file in files):
        raise OutlastError("expected a list of texts as 'files', found something else", place())
    if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
        raise OutlastError("expected texts by name as 'values', found something else", place())
    return Entry(
        rule=node["rule"],
        kind=node["kind"],
        subject=node["subject"],
        files=tuple(sorted(files)),
        values=tuple(sorted(values.items())),
    )


class _Where:
    """Places in a file of JSON, looked for once something is wrong there."""

    def __init__(self, text: str, file: str) -> None:
        self._text, self._file = text, file

    def of(self, path: tuple[str | int, ...]) -> Place:
        """Where the value behind keys and numbers stands."""
        from outlast.constraints.document import Mapping as Keys
        from outlast.constraints.document import Sequence as Items
        from outlast.constraints.document import parse_document  # JSON is YAML, which is read with places

        node, _ = parse_document(self._text.encode(), self._file)
        for step in path:
            if isinstance(node, Keys) and isinstance(step, str):
                node = next((entry.value for entry in node.entries if entry.key.text == step), None)
            elif isinstance(node, Items) and isinstance(step, int):
                node = node.items[step] if step < len(node.items) else None
            else:
                node = None
        return Place(self._file, 1, 1) if node is None else node.place
