"""A first spec from the files at hand: what was recognised, bound to where it stands, and what a human must still say."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from outlast.configs.bind import Files
from outlast.configs.interpret import read_value
from outlast.configs.new_files import refuse_own, write_generated
from outlast.configs.recognise.found import Found, Held
from outlast.configs.recognise.recognise import recognise
from outlast.constraints.catalogue import KnownParameter, kind
from outlast.constraints.errors import InputErrors, OutlastError, printable
from outlast.constraints.loading.load import load_text
from outlast.constraints.loading.tree import Tree
from outlast.constraints.model import Spec
from outlast.constraints.normal import normalise
from outlast.constraints.quantities import parse_quantity, value_text
from outlast.constraints.record import record
from outlast.linting import all_kinds, said_of

__all__ = ["Initialized", "first_spec", "initialize"]

#: Questions beyond which only their number is told.
_MOST_QUESTIONS: Final = 60


@record(kw_only=True)
class Initialized:
    """A first spec, and where it was written."""

    found: Found
    text: str
    #: None: nowhere.
    file: str | None
    #: How many rules of the catalogue it has, and how many need an answer first.
    rules: int
    unjudged: int
    #: How many values could not be read that rules speak of, and what `--root` must allow; None: nothing.
    unread: int
    root: str | None


def initialize(paths: Sequence[Path], *, to: Path | None, force: bool = False) -> Initialized:
    """Write a first spec of what the files configure; `to` None: only its text, as for the folder that outlast was started in.

    Raises:
        InputErrors: a path does not exist, nothing is recognised, or the file cannot be written or must not be.
    """
    found = recognise(paths, all_kinds())
    if not found.instances:
        files = "1 file" if found.read == 1 else f"{found.read} files"
        message = f"nothing was recognised in {files}, so there is nothing to write; outlast rules lists the kinds that are known"
        raise InputErrors("nothing to write", [OutlastError(message)])
    folder = Path() if to is None else to.parent
    unread = {f"{each.name}.{word}" for each in found.instances for word in each.opaque}
    spec = load_text(_name(to), first_spec(found, folder, unread))
    rules, _ = normalise(spec)
    unread &= {name for rule in rules.values() if not rule.rule.is_bound for name in rule.names()}
    text = first_spec(found, folder, unread)
    text = "\n".join([text.rstrip("\n"), *_rules(spec), *_questions(found, spec), ""])
    written = load_text(_name(to), text)
    if to is not None:
        _refuse_others(to, found)
        write_generated(to, text, force=force)
    return Initialized(
        found=found,
        text=text,
        file=None if to is None else str(to),
        rules=sum(1 for rule in written.rules.values() if rule.relation is not None),
        unjudged=len(written.unjudged),
        unread=len(unread),
        root=_root(found, folder),
    )


def _name(to: Path | None) -> Path:
    """What the spec is called in errors."""
    return Path("outlast.yaml") if to is None else to


def _refuse_others(to: Path, found: Found) -> None:
    """Refuse to write over anything but a spec, above all over what was read.

    Raises:
        InputErrors: `to` is such a file.
    """
    refuse_own(to, None)
    shown = printable(str(to))
    message = None
    if any(os.path.realpath(to) == os.path.realpath(path) for path in _files(found)):
        message = f"expected another file to write than {shown}, which was read"
    elif to.is_file() and not re.search(rb"^outlast *:", to.read_bytes(), re.MULTILINE):
        message = f"{shown} is there already and is no spec, so nothing overwrites it"
    if message is not None:
        raise InputErrors("the file cannot be written", [OutlastError(message)])


def _files(found: Found) -> set[str]:
    held = {held.file for each in found.instances for held in each.values.values()}
    return held | {each.file for each in found.instances}


def _root(found: Found, folder: Path) -> str | None:
    """The folder that `--root` must allow for the values in files outside of the spec's; None: there are none."""
    paths = [os.path.realpath(path) for path in (*sorted(_files(found)), str(folder))]
    try:
        above = os.path.commonpath(paths)
    except ValueError:  # different drives
        return None
    return None if above == os.path.realpath(folder) else os.path.relpath(above)


def first_spec(found: Found, folder: Path, unread: Collection[str]) -> str:
    """The text of the spec, without remarks about its rules; paths are from `folder` on.

    `unread`: parameters that are, or may be, set as something that is not read, and whose default must not be taken.
    """
    lines = [
        "# A first draft by outlast init. Read it, answer the questions, and take out what is not true.",
        "outlast: 1",
        "",
        "components:",
    ]
    for each in found.instances:
        words, hosts = said_of(each, found)
        shown = ", ".join(f"{key}: {_plain(word)}" for key, word in words.items())
        if hosts:
            names = ", ".join(hosts)
            shown += f", runs_in: {names}" if len(hosts) == 1 else f", runs_in: [{names}]"
        lines.append(f"  {each.name}: {{ {shown} }}  # {_comment(f'{each.place.file}:{each.place.line}')}")
    if found.links:
        lines += ["", "links:"]
        for link in found.links:
            lines.append(f"  # {_comment(link.because)}")
            if link.options:
                words = {"chain": " -> ".join((link.source, *link.via, link.target)), **link.options}
                lines.append(f"  - {{ {', '.join(f'{key}: {_plain(word)}' for key, word in words.items())} }}")
            else:
                lines.append(f"  - {' -> '.join((link.source, *link.via, link.target))}")
    lines += _parameters(found, folder, unread)
    return "\n".join(lines) + "\n"


def _parameters(found: Found, folder: Path, unread: Collection[str]) -> Iterator[str]:
    lines: list[str] = []
    files = Files(Tree((os.path.realpath(os.sep),)))
    #: By file and selector: the first that has the value, its kind and its word.
    bound: dict[tuple[str, str], tuple[str, str, str]] = {}
    for each in found.instances:
        known = kind(each.kind)
        for word, held in each.values.items():
            name, parameter = f"{each.name}.{word}", known.parameters[word] if known else None
            if parameter is None:
                continue
            first = bound.setdefault((held.file, held.selector), (name, each.kind, word)) if held.selector else None
            if first is not None and first[0] != name and first[1:] == (each.kind, word):
                # Several inherit one value.
                lines.append(
                    f"  {name}: {{ derived: {first[0]} }}  # the same, {_comment(held.file)}:{held.place.line}"
                )
            elif first is not None and first[0] == name and _is_bound(held, parameter, files):
                value = value_text(held.value, parameter.quantity)
                lines.append(f"  {name}: {{ fixed: {value}, {_place(held, folder)} }}")
            else:
                value = value_text(held.value, parameter.quantity)
                place = f"{held.place.file}:{held.place.line}"
                lines.append(f"  {name}: {{ fixed: {value} }}  # {_comment(f'{place} says {held.raw}')}")
        lines += [
            f"  {each.name}.{word}: {{ free: {_any(known.parameters[word])}, unset: unknown }}  # set as something that is not read, or elsewhere: write current: {_example(each.kind, word)}"
            for word in sorted(each.opaque)
            if f"{each.name}.{word}" in unread and known is not None and word in known.parameters
        ]
    if lines:
        yield ""
        yield "# What the files say today, as decisions. To let outlast choose one, write free: with a range in place of fixed:."
        yield "parameters:"
        yield from lines


def _is_bound(held: Held, known: KnownParameter, files: Files) -> bool:
    """Whether `at` reads the value that was recognised; of several in one text it does not."""
    if "#" in held.file:
        return False  # where a selector would begin
    try:
        file = files.read(held.file, held.place)
        (setting,) = file.lookup.select(held.selector)
        negative = None if known.negative is None else parse_quantity(known.negative).value
        value, _ = read_value(setting, file.format, known.quantity, known.unit, syntax=known.syntax, negative=negative)
    except (OutlastError, ValueError):
        return False
    return value == held.value


def _place(held: Held, folder: Path) -> str:
    path = os.path.relpath(held.file, folder).replace(os.sep, "/")
    return f"at: {_quoted(f'{path}#{held.selector}')}"


def _rules(spec: Spec) -> Iterator[str]:
    told = sorted((r for r in spec.rules.values() if r.relation is not None), key=lambda r: r.id)
    if told:
        yield ""
        yield "# Rules of the catalogue that apply to these (outlast rules ID tells more; decline: leaves one out, with a reason):"
        for rule in told:
            yield f"#   {rule.id}: {_comment(rule.relation.title if rule.relation else '')}"


def _questions(found: Found, spec: Spec) -> Iterator[str]:
    """What only a human knows: quantities of the workload, and what the files leave open."""
    wanted: dict[str, list[str]] = {}
    for each in spec.unjudged:
        for need in each.needs:
            wanted.setdefault(need, []).append(each.relation)
    opaque = {f"{each.name}.{word}" for each in found.instances for word in each.opaque}
    asked = [_question(need, rules, spec) for need, rules in sorted(wanted.items()) if need not in opaque]
    questions = [f"#   {_comment(question)}" for question in found.questions] + asked
    if questions:
        yield ""
        yield "# Questions. With an answer, more rules can be judged; what has a name goes under parameters:"
        yield from questions[:_MOST_QUESTIONS]
        if len(questions) > _MOST_QUESTIONS:
            yield f"#   and {len(questions) - _MOST_QUESTIONS} more"


def _question(need: str, relations: Sequence[str], spec: Spec) -> str:
    owner, _, word = need.partition(".")
    component = spec.topology.components[owner] if spec.topology else None
    known = component.kind.parameters.get(word) if component else None
    example = _example(component.kind.name if component else "", word)
    why = ", ".join(dict.fromkeys(relations))
    means = known.means.rstrip(".") if known else ""
    return f"#   {need}: {{ fact: {example} }}  # {_comment(means)}; for {why}"


def _example(kind_name: str, word: str) -> str:
    """A value of the parameter's sort."""
    known = kind(kind_name)
    sort = known.parameters[word].quantity.value if known and word in known.parameters else ""
    return {"count": "3", "ratio": "20%", "rate": "100/s"}.get(sort, "10s")


def _any(known: KnownParameter) -> str:
    """A domain for what nobody knows; counts as factors need an end."""
    return "0..100" if known.quantity.value == "count" else "any"


def _plain(word: str) -> str:
    """A word as YAML, in quotes unless it is plain."""
    return (
        word if word.replace("-", "").replace(".", "").replace("_", "").isalnum() and word.isascii() else _quoted(word)
    )


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=not text.isprintable())  # which is YAML, too


def _comment(words: str) -> str:
    return printable(words)[:200]
