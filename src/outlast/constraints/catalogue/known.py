"""A kind of software: its parameters as users write them, their defaults and bounds, and the roles that they play for others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from outlast.constraints.catalogue.guard import Guard, read_guard, version_of
from outlast.constraints.catalogue.reading import CatalogueError, Document, Entry, entries_of
from outlast.constraints.pictures import Answer
from outlast.constraints.quantities import Kind as Quantity
from outlast.constraints.record import record

__all__ = ["Default", "Kind", "KnownAnswer", "KnownParameter", "Option", "Output", "Span", "is_within"]


@record(kw_only=True)
class Span:
    """Releases from `since` on, up to but without `until`; None: without an end."""

    since: str | None = None
    until: str | None = None


def is_within(version: str, span: Span) -> bool:
    """Whether a release lies in a span; one that has no number lies in none that has an end."""
    number = version_of(version)
    since, until = (None if end is None else version_of(end) or () for end in (span.since, span.until))
    if number is None:
        return since is None and until is None
    return (since is None or _padded(number, since) >= _padded(since, number)) and (
        until is None or _padded(number, until) < _padded(until, number)
    )


def _padded(version: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return version + (0,) * (len(other) - len(version))


@record(kw_only=True)
class Default:
    """What a parameter is when nobody set it: a quantity as a spec writes it, in these releases."""

    value: str
    span: Span = Span()


@record(kw_only=True)
class KnownParameter:
    """What is known about one parameter of a kind. Quantities are texts as a spec writes them: `5s`, `infinite`."""

    name: str
    #: As users write it; None: a quantity of the workload, which no file holds.
    key: str | None
    quantity: Quantity
    #: What a bare number means in files: `ms`.
    unit: str | None = None
    #: The dialect in which a duration is written, where its key does not tell it.
    syntax: str | None = None
    where: str | None = None
    step: str | None = None
    minimum: str | None = None
    maximum: str | None = None
    #: What the software does with a value beyond the bounds.
    outside: str | None = None
    #: Oldest release first; empty: it must be given.
    defaults: tuple[Default, ...] = ()
    #: Nobody can set it.
    is_constant: bool = False
    zero: str | None = None
    negative: str | None = None
    means: str
    #: Whose parameter it is, where not the kind's: Linux.
    product: str | None = None
    note: str | None = None
    sources: tuple[str, ...] = ()
    verified: tuple[str, ...] = ()
    unverified: str | None = None

    def default(self, version: str | None) -> Default | None:
        """The default of a release; of an unknown one the newest."""
        if version is None:
            return self.defaults[-1] if self.defaults else None
        return next((d for d in self.defaults if is_within(version, d.span)), None)

    def has_one_default(self) -> bool:
        """Whether every release has the same one, so that it is known without the release."""
        return len({d.value for d in self.defaults}) == 1


@record(kw_only=True)
class Option:
    """What a component may say of itself besides its kind, for conditions of relations."""

    name: str
    means: str
    #: The words that it may be; empty: any.
    values: tuple[str, ...] = ()
    default: str | None = None
    key: str | None = None


@record(kw_only=True)
class KnownAnswer:
    """What a kind that passes connections on answers a request on one that it has forgotten, under conditions over its options."""

    answer: Answer
    applies: tuple[Guard, ...] = ()
    note: str | None = None
    sources: tuple[str, ...] = ()
    verified: tuple[str, ...] = ()
    unverified: str | None = None


@record(kw_only=True)
class Output:
    """How a configuration that is written for the software has some of a kind's parameters."""

    #: A word of `outlast generate --as`.
    name: str
    #: The part of its frame in which they stand: `server`, `aws_lb`; empty: it has no parts.
    part: str
    #: Below that part, by parameter.
    keys: Mapping[str, str]
    #: What these values are recognised as where they stand alone; None: this kind.
    read_as: str | None = None


@record(kw_only=True)
class Kind:
    """A kind of component."""

    name: str
    title: str
    #: As in "5 s, the default of Node.js".
    product: str
    #: Passes connections on without ending them.
    passes_through: bool
    options: Mapping[str, Option]
    parameters: Mapping[str, KnownParameter]
    #: Formulas over the parameters, in the rule language.
    roles: Mapping[str, str]
    #: By role, conditions over the options without which it does not have it.
    conditions: Mapping[str, tuple[Guard, ...]]
    #: At most one of them applies; where none does, or nobody knows which, it is not known.
    answers: tuple[KnownAnswer, ...]
    #: Where lint finds it, as the catalogue's file says it, without `output`.
    files: tuple[Document, ...]
    #: Where it is written.
    outputs: tuple[Output, ...] = ()

    @classmethod
    def from_mapping(cls, name: str, document: Document) -> Kind:
        """Read a document.

        Raises:
            CatalogueError: it is not as docs/catalogue.md says.
        """
        entry = Entry(document, f"kind {name}")
        if entry.needed("kind") != name:
            raise CatalogueError(f"kind {name}: the file is called otherwise than the kind in it")
        roles = {role: _role(role, given, entry.where) for role, given in entry.mapping("roles").items()}
        parameters = {n: _parameter(n, e) for n, e in entries_of(entry.mapping("parameters"), entry.where)}
        files = [_document(d, entry.where) for d in entry.items("files")]
        outputs = [_output_of_files(d["output"], d, parameters, entry.where) for d in files if "output" in d]
        outputs += [_output(Entry(d, f"{entry.where}, output"), parameters) for d in entry.items("output")]
        kind = cls(
            name=name,
            title=entry.needed("title"),
            product=entry.needed("product"),
            passes_through=entry.is_yes("passes_through"),
            options={n: _option(n, e) for n, e in entries_of(entry.mapping("options"), entry.where)},
            parameters=parameters,
            roles={role: formula for role, (formula, _) in roles.items()},
            conditions={role: guards for role, (_, guards) in roles.items() if guards},
            answers=tuple(_answer(Entry(d, f"{entry.where}, answers")) for d in entry.items("answers")),
            files=tuple({key: value for key, value in d.items() if key != "output"} for d in files),
            outputs=tuple(outputs),
        )
        entry.finish()
        if kind.answers and not kind.passes_through:
            raise CatalogueError(f"{entry.where}: it has answers, but passes no connections on")
        return kind


def _document(value: object, where: str) -> Document:
    if not isinstance(value, Mapping):
        raise CatalogueError(f"{where}: expected a mapping under files, found {value!r}")
    return value


def _output_of_files(given: object, document: Document, parameters: Mapping[str, KnownParameter], where: str) -> Output:
    """What is written as an entry of `files` reads it: `nginx/server`, or a mapping with `to` and `except`."""
    entry = Entry({"to": given} if isinstance(given, str) else given, f"{where}, output")
    name, _, part = entry.needed("to").partition("/")
    exceptions = entry.texts("except")
    entry.finish()
    keys = document.get("keys") or {p.name: p.key for p in parameters.values() if p.key and not p.is_constant}
    first = {n: str(k[0] if isinstance(k, list) else k) for n, k in keys.items() if n not in exceptions}
    _refuse_unknown([*first, *exceptions], parameters, entry.where)
    return Output(name=name, part=part, keys=first)


def _output(entry: Entry, parameters: Mapping[str, KnownParameter]) -> Output:
    """What is written where no entry of `files` of this kind reads it."""
    name, _, part = entry.needed("to").partition("/")
    keys = {str(parameter): str(key) for parameter, key in entry.mapping("keys").items()}
    output = Output(name=name, part=part, keys=keys, read_as=entry.text("read_as"))
    entry.finish()
    _refuse_unknown(keys, parameters, entry.where)
    return output


def _refuse_unknown(names: Iterable[str], parameters: Mapping[str, KnownParameter], where: str) -> None:
    unknown = [name for name in names if name not in parameters]
    if unknown:
        raise CatalogueError(f"{where}: {unknown[0]} is no parameter of it")


def _role(name: str, given: object, where: str) -> tuple[str, tuple[Guard, ...]]:
    if isinstance(given, str):
        return given, ()
    entry = Entry(given, f"{where}, role {name}")
    found = entry.needed("formula"), tuple(read_guard(text, ("",), entry.where) for text in entry.texts("applies"))
    entry.finish()
    return found


def _answer(entry: Entry) -> KnownAnswer:
    found = KnownAnswer(
        answer=Answer(entry.word("with", [each.value for each in Answer if each is not Answer.UNKNOWN], "")),
        applies=tuple(read_guard(text, ("",), entry.where) for text in entry.texts("applies")),
        note=entry.text("note"),
        sources=entry.texts("sources"),
        verified=entry.verified(),
        unverified=entry.text("unverified"),
    )
    entry.finish()
    if any(guard.sign in ("set", "not set") for guard in found.applies):
        raise CatalogueError(f"{entry.where}: expected conditions over options under applies")
    return found


def _option(name: str, entry: Entry) -> Option:
    option = Option(
        name=name,
        means=entry.needed("means"),
        values=entry.texts("values"),
        default=entry.text("default"),
        key=entry.text("key"),
    )
    entry.finish()
    if option.values and option.default is not None and option.default not in option.values:
        raise CatalogueError(f"{entry.where}: the default {option.default!r} is none of its values")
    return option


def _parameter(name: str, entry: Entry) -> KnownParameter:
    parameter = KnownParameter(
        name=name,
        key=entry.text("key"),
        quantity=Quantity(entry.word("is", [kind.value for kind in Quantity], "duration")),
        unit=entry.text("unit"),
        syntax=entry.text("syntax"),
        where=entry.text("where"),
        step=entry.text("step"),
        minimum=entry.text("min"),
        maximum=entry.text("max"),
        outside=entry.text("outside"),
        defaults=tuple(_defaults(entry)),
        is_constant=entry.is_yes("constant"),
        zero=entry.text("zero"),
        negative=entry.text("negative"),
        means=entry.needed("means"),
        product=entry.text("product"),
        note=entry.text("note"),
        sources=entry.texts("sources"),
        verified=entry.verified(),
        unverified=entry.text("unverified"),
    )
    entry.finish()
    return parameter


def _defaults(entry: Entry) -> list[Default]:
    given = entry.raw("default")
    if given is None:
        return []
    if isinstance(given, str):
        return [Default(value=given)]
    found: list[Default] = []
    for document in entry.items("default"):
        each = Entry(document, f"{entry.where}, default")
        span = Span(since=each.text("since"), until=each.text("until"))
        found.append(Default(value=each.needed("value"), span=span))
        each.finish()
    return found
