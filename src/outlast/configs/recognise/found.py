"""What is recognised in users' files: instances of kinds, the values that are set, and which instances belong together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from outlast.constraints.errors import OutlastError, Place
from outlast.constraints.model import Ignore
from outlast.constraints.quantities import Value
from outlast.constraints.record import record

__all__ = ["Found", "Held", "Hosted", "Instance", "Link"]


@record(kw_only=True, many=True)
class Held:
    """A value that stands in a file."""

    #: As written: what a 0 means is the parameter's to say. A negative number is what the parameter says of it.
    value: Value
    place: Place
    #: The shortest that selects it alone in its file, what stands behind the `#` of an `at`; empty: it is a part of a text, which none selects.
    selector: str
    #: As reports call it.
    file: str
    #: As it stands there.
    raw: str = ""


@record(kw_only=True)
class Instance:
    """One thing of a kind that files configure."""

    kind: str
    #: Unique among all; fit for the name of a component in a spec.
    name: str
    #: The file in which it stands, and where it begins there.
    file: str
    place: Place
    #: What holds it, from the file's top on; of things without a name, those after the first have a number: `server`, `server#1`.
    root: tuple[str, ...] = ()
    #: By parameter; what is set and could be read.
    values: Mapping[str, Held] = field(default_factory=dict)
    #: By option of the kind: `version`, `worker_class`.
    options: Mapping[str, str] = field(default_factory=dict)
    #: Parameters that are set but could not be read (templates, references, a text that is none): never to be taken for their default.
    opaque: frozenset[str] = frozenset()
    #: Of some that are opaque: what they are at least.
    least: Mapping[str, Held] = field(default_factory=dict)


@record(kw_only=True)
class Link:
    """A connection that the files show; names are those of instances."""

    source: str
    target: str
    #: Hops that the connection passes through, from the source on.
    via: tuple[str, ...] = ()
    #: As `protocol`, `pooled`.
    options: Mapping[str, str] = field(default_factory=dict)
    #: The evidence, with the places: "proxy_pass http://shop at nginx.conf:12 names the upstream at nginx.conf:3".
    because: str


@record(kw_only=True)
class Hosted:
    """That one instance runs in another: a server in its pod."""

    guest: str
    host: str
    because: str


@record(kw_only=True)
class Found:
    """All that was recognised, in the order of files and places."""

    instances: tuple[Instance, ...] = ()
    links: tuple[Link, ...] = ()
    hosted: tuple[Hosted, ...] = ()
    #: Why files, or values that matter, could not be read.
    problems: tuple[OutlastError, ...] = ()
    #: The same of files that were named.
    unread: tuple[OutlastError, ...] = ()
    #: What a human must decide, each a question.
    questions: tuple[str, ...] = ()
    #: What comments in the files say is to be ignored, and those that are not understood.
    ignores: tuple[Ignore, ...] = ()
    misunderstood: tuple[OutlastError, ...] = ()
    #: How many files were read.
    read: int = 0
