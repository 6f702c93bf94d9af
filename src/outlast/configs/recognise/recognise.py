"""Which kinds of software the files below some paths configure, and which instances of them clearly belong together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from outlast.configs.formats import FORMATS, Format, format_of, may_have_format
from outlast.configs.recognise.commands import FORMATS_WITH_COMMANDS
from outlast.configs.recognise.deduced import worker_of
from outlast.configs.recognise.found import Found, Instance
from outlast.configs.recognise.instances import sites_of
from outlast.configs.recognise.layers import (
    is_of_systemd,
    is_spring,
    layered,
    layered_facts,
    with_drop_ins,
    with_services,
)
from outlast.configs.recognise.links import connections, joined_balancers, joined_configs, with_balancers
from outlast.configs.recognise.overlays import Overlays
from outlast.configs.recognise.pattern import Patterns, compile_patterns
from outlast.configs.recognise.sites import Site, unknown_rest
from outlast.configs.recognise.surroundings import FileFacts, facts_of, may_connect
from outlast.configs.select import fold_of
from outlast.configs.walk import Found as FoundFile
from outlast.configs.walk import Skipped, contents, walk
from outlast.constraints.catalogue.known import Kind
from outlast.constraints.errors import InputErrors, OutlastError, printable
from outlast.constraints.files import DISK, Store, glance, may_ignore, place_of_byte
from outlast.constraints.model import Ignore
from outlast.constraints.progress import counted, doing
from outlast.constraints.record import record, replace
from outlast.constraints.syntax import check_name

__all__ = ["recognise"]


@record(kw_only=True, eq=False)
class _File:
    """A file that was read."""

    file: str
    data: bytes
    sites: tuple[Site, ...]
    facts: FileFacts


def recognise(paths: Sequence[Path], kinds: Sequence[Kind], store: Store = DISK) -> Found:
    """What the files below the paths configure, as far as these kinds are known.

    Raises:
        InputErrors: for paths that do not exist.
    """
    import gc

    was_enabled = gc.isenabled()
    gc.disable()  # readers make no circles of objects
    try:
        return _recognise(paths, kinds, store)
    finally:
        if was_enabled:
            gc.enable()


def _recognise(paths: Sequence[Path], kinds: Sequence[Kind], store: Store) -> Found:
    patterns = compile_patterns(kinds)
    by_name = {kind.name: kind for kind in kinds}
    wanted = _Wanted(patterns)
    skipped: list[Skipped] = []
    problems: list[OutlastError] = []
    unread: list[OutlastError] = []
    files: list[_File] = []
    waiting: list[tuple[str, bytes, Format]] = []
    springs: set[str] = set()
    drop_ins: set[str] = set()
    has_defaults = False
    overlays = Overlays()
    ignores: list[Ignore] = []
    misunderstood: list[OutlastError] = []
    read = 0
    given = tuple(sorted(str(path).replace("\\", "/").rstrip("/") + "/" for path in paths))
    for found in counted("reading files: {}", walk(paths, skipped, store)):
        if is_of_systemd(found.file):
            drop_ins.add(printable(found.file))
        try:
            has_defaults = has_defaults or (is_of_systemd(found.file) and _has_defaults(found, skipped, store))
            opened = _open(found, skipped, store)
            if opened is None:
                continue
            read += 1
            file, data, format_ = opened
            if format_.name == "yaml":
                overlays.see(file, data)
            if is_spring(file):
                springs.add(file)
            if not found.is_named and _is_of_tests(found.file, given):
                continue
            if may_ignore(data) and not _is_spec(data, format_):
                from outlast.configs.comments import ignores_in  # nearly no file has any

                said, wrong = ignores_in(data, file, format_.name)
                ignores += said
                misunderstood += wrong
            if not found.is_named and _may_be_left(data, format_, wanted):
                if may_connect(data, format_.name):
                    waiting.append(opened)
                continue
            files.append(_read(file, data, format_, patterns, by_name))
        except OutlastError as error:
            (unread if found.is_named else problems).append(error)
        except InputErrors as errors:
            (unread if found.is_named else problems).extend(_flat(errors))
    if any(file.sites for file in files):
        # Files that only say what belongs together: a Service, a listener.
        for file, data, format_ in waiting:
            try:
                files.append(_read(file, data, format_, patterns, by_name))
            except OutlastError as error:
                problems.append(error)
            except InputErrors as errors:
                problems += _flat(errors)
    doing("finding what belongs together")
    files.sort(key=lambda f: f.file)
    facts = [f.facts for f in files]
    sites = with_services([site for f in files for site in f.sites], facts, by_name)
    sites = overlays.over(with_drop_ins(sites, drop_ins, has_defaults, by_name), by_name)
    sites = joined_configs(joined_balancers(sites, facts), facts)
    sites = with_balancers(layered(sites, facts, by_name, springs), facts)
    named = list(_named(_with_unknown(_with(files, sites), by_name)))
    links, hosted, questions = connections(named, layered_facts(facts), by_name)
    problems += [OutlastError(f"{each.file}: {each.reason}") for each in skipped]
    for told in (problems, unread):
        told.sort(key=lambda error: (error.place or ("", 0, 0), error.message))
    return Found(
        instances=tuple(instance for instance, _ in named),
        links=tuple(links),
        hosted=tuple(hosted),
        problems=tuple(problems),
        unread=tuple(unread),
        questions=tuple(questions),
        ignores=tuple(ignores),
        misunderstood=tuple(misunderstood),
        read=read,
    )


def _flat(errors: BaseExceptionGroup[OutlastError]) -> Iterator[OutlastError]:
    for error in errors.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _flat(error)
        else:
            yield error


#: Folders and files of tests, where values are short, long or wrong on purpose; they are read when they are given by name.
_TESTS: Final = re.compile(
    r"(?:.*/)?(?:(?:tests?|__tests__|testdata|test-data|test_data|testing|e2e|fixtures?|__fixtures__|mocks?|__mocks__)/.*"
    r"|[^/]*(?:_test\.go|_test\.py|\.(?:test|spec)\.[cm]?[jt]sx?|Tests?\.java|IT\.java)|test_[^/]*\.py|conftest\.py"
    r"|application-test\.(?:ya?ml|properties))"
)


def _is_of_tests(file: str, given: Sequence[str]) -> bool:
    """Whether a file is one of tests, as its name below the folder that was given tells."""
    inside = max((path for path in given if file.startswith(path)), key=len, default="")
    return _TESTS.fullmatch(file[len(inside) :]) is not None


def _open(found: FoundFile, skipped: list[Skipped], store: Store) -> tuple[str, bytes, Format] | None:
    """A file with its format; None: it is not for us."""
    if not found.is_named and not may_have_format(found.file):
        return None
    before = len(skipped)
    data = contents(found, skipped, store)
    if data is None:
        if len(skipped) == before and format_of(found.file, b"") is not None and _is_binary(found.path, store):
            skipped.append(Skipped(found.file, "binary, or not in UTF-8"))
        return None
    if found.is_named and b"\0" in data[:_HEAD]:
        raise OutlastError(f"expected {printable(found.file)} to be text in UTF-8, found a binary file, or UTF-16")
    file = printable(found.file)
    format_ = format_of(found.file, data)
    if format_ is None:
        if found.is_named:
            raise OutlastError(f"cannot tell from its name what {file} is; known are {', '.join(FORMATS)}")
        return None
    return file, data, format_


_DEFAULTS: Final = re.compile(rb"^[ \t]*DefaultTimeout\w*Sec[ \t]*=", re.M)


def _has_defaults(found: FoundFile, skipped: list[Skipped], store: Store) -> bool:
    """Whether a file of systemd says how long units may take that do not say it."""
    data = contents(found, skipped, store)
    return data is not None and _DEFAULTS.search(data) is not None


def _is_binary(path: str, store: Store) -> bool:
    """Whether a file that can be read begins like no text in UTF-8."""
    return b"\0" in glance(path, store=store)[:_HEAD]


def _read(file: str, data: bytes, format_: Format, patterns: Patterns, kinds: Mapping[str, Kind]) -> _File:
    settings = format_.read(data, file)
    sites, commands = sites_of(settings, data, file, format_, patterns, kinds)
    facts = facts_of(settings, commands, data, file, format_.name)
    return _File(file=file, data=data, sites=tuple(sites), facts=facts)


def _with(files: Sequence[_File], sites: Sequence[Site]) -> list[_File]:
    """The files with these sites."""
    by_file: dict[str, list[Site]] = {}
    for site in sites:
        by_file.setdefault(site.file, []).append(site)
    return [replace(file, sites=tuple(by_file.get(file.file, ()))) for file in files]


def _with_unknown(files: Iterable[_File], kinds: Mapping[str, Kind]) -> Iterator[_File]:
    """The files, what a program's own file may set being unknown: one that its command line names, or that stands by itself."""
    files = list(files)
    by_themselves = {site.kind for file in files for site in file.sites if site.command is None}
    for file in files:
        sites = []
        for site in file.sites:
            has_file = site.has_config or (site.kind in by_themselves and not site.configs)
            if site.is_unsure or (site.command is not None and has_file):
                site = unknown_rest(site, kinds[site.kind])
            if "worker_class" in kinds[site.kind].options:
                site = _with_worker(site)
            sites.append(site)
        yield replace(file, sites=tuple(sites))


def _with_worker(site: Site) -> Site:
    """The site with the class of its workers, where its threads decide it."""
    if "worker_class" in site.opaque:
        return site
    said = site.options.get("worker_class")
    found = worker_of(said, site.hints)
    if found == said or found is None:
        return site
    if found in ("gthread",):
        return replace(site, options={**site.options, "worker_class": found})
    options = {name: word for name, word in site.options.items() if name != "worker_class"}
    return replace(site, options=options, opaque=site.opaque | {"worker_class"})


class _Wanted:
    """Words of which a file must have one to hold an instance, by format."""

    def __init__(self, patterns: Patterns) -> None:
        programs = {
            word for program in patterns.programs for word in (*(p[0] for p in program.programs), *program.images)
        }
        self.by_format: dict[str, frozenset[bytes]] = {}
        for name in FORMATS:
            words = set(patterns.words.get(name, ()))
            if name in FORMATS_WITH_COMMANDS:
                words |= programs
            self.by_format[name] = frozenset(word.partition("[")[0].encode() for word in words)


#: Readers that take many times as long as a look at the words.
_SLOW: Final = frozenset(("yaml_files", "json_files", "toml", "hcl", "go", "javascript", "python", "java", "helm"))
_SPEC: Final = re.compile(rb"^outlast:[ \t]*[0-9]", re.M)
_HEAD: Final = 4096
_WORDS: Final = re.compile(rb"[A-Za-z_][A-Za-z0-9_-]*")


def _is_spec(data: bytes, format_: Format) -> bool:
    return format_.name == "yaml" and _SPEC.search(data[:_HEAD]) is not None


def _may_be_left(data: bytes, format_: Format, wanted: _Wanted) -> bool:
    """Whether a file holds no instance, as its words tell."""
    name = format_.name
    if _is_spec(data, format_):
        return True
    words = wanted.by_format[name]
    if not words:
        return True
    if format_.module not in _SLOW:
        return False
    own = set(_WORDS.findall(data))
    if not words.isdisjoint(own):
        return False
    fold = fold_of(name)
    return words.isdisjoint(fold(word.decode()).encode() for word in own)


_UNFIT: Final = re.compile(r"[^A-Za-z0-9]+")
_NUMBERED: Final = re.compile(r"#[0-9]+$")


def _named(files: Iterable[_File]) -> Iterator[tuple[Instance, Site]]:
    """The instances with their names, in the order of files and places."""
    taken: Counter[str] = Counter()
    for file in files:
        for site in file.sites:
            name = _name(site)
            if taken[name]:
                longer = f"{name}_{_fit(site.kind.rpartition('.')[2])}"
                name = longer if not name.endswith(longer.rpartition("_")[2]) else name
            taken[name] += 1
            if taken[name] > 1:
                number = taken[name]
                while taken[f"{name}_{number}"]:
                    number += 1
                name = f"{name}_{number}"
                taken[name] += 1
            yield (
                Instance(
                    kind=site.kind,
                    name=name,
                    file=site.file,
                    place=place_of_byte(file.data, site.start, site.file),
                    root=tuple(item[0] for item in site.root),
                    values=site.values,
                    options=site.options,
                    opaque=site.opaque,
                    least=site.least,
                ),
                site,
            )


#: Names that say where something stands, not what it is.
_EMPTY_NAMES: Final = frozenset(
    ("http", "https", "stream", "services", "spring", "datasource", "spec", "template", "containers", "container", "config", "conf", "resource",
     "main", "default", "this", "self", "module", "exports", "application", "defaults", "global", "values", "settings",
     "properties", "resources", "performance", "service", "functions", "leaderelection", "data", "container_definitions", "containerdefinitions")
)  # fmt: skip


def _name(site: Site) -> str:
    """What an instance is best called: by its resource, service, block or variable, else by its kind."""
    last = site.kind.rpartition(".")[2]
    if site.format == "systemd" and (stem := _fit(site.file.rpartition("/")[2].partition(".")[0])):
        return stem if stem[0].isalpha() and check_name(stem) is None else last
    for item in () if site.format == "dockerfile" else reversed(site.root):
        shown = _NUMBERED.sub("", item[0])
        if site.format == "yaml" and "/" in shown:
            shown = shown.rpartition("/")[2]
        elif site.format == "hcl":
            shown = shown.rpartition(".")[2]
        elif site.format in ("nginx", "haproxy", "apache") and " " in shown:
            shown = shown.partition(" ")[2].split()[0]
        fit = _fit(shown)
        if not fit or fit.isdecimal() or shown.startswith("[") or fit.lower() in _EMPTY_NAMES or not fit[0].isalpha():
            continue
        return fit if check_name(fit) is None else f"{fit}_{_fit(last)}"
    return _fit(last)


@lru_cache(2**10)
def _fit(text: str) -> str:
    """A text as a name of the rule language."""
    return _UNFIT.sub("_", text).strip("_").lower()[:60]
