"""Which instances clearly belong together: what runs in what, and who connects to whom, each with its evidence."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from outlast.configs.recognise.deduced import ports_of
from outlast.configs.recognise.found import Hosted, Instance, Link
from outlast.configs.recognise.passing import is_kept
from outlast.configs.recognise.resources import Reference
from outlast.configs.recognise.sites import Site, joined
from outlast.configs.recognise.surroundings import ComposeService, FileFacts, Mention, Root, Service, Workload
from outlast.constraints.catalogue.known import Kind
from outlast.constraints.record import record, replace

__all__ = ["connections", "joined_balancers", "joined_configs", "with_balancers"]

#: What only those play who accept connections, or are asked.
_ANSWERING: Final = frozenset(
    (
        "server_idle",
        "work_limit",
        "response_gap",
        "ping_allowed",
        "session_idle",
        "session_lifetime",
        "hold",
        "visibility",
        "drain",
    )
)
#: What only those play who open connections, or ask.
_ASKING: Final = frozenset(
    ("pool_idle", "attempt", "attempts", "deadline", "gap_limit", "ping_every", "db_pool_idle", "lifetime", "request_wait", "processing",
     "detection", "deregistration", "dead_after")
)  # fmt: skip
_DATABASE: Final = frozenset(("db_pool_idle", "lifetime"))
_SESSIONS: Final = frozenset(("session_idle", "session_lifetime"))


@record(kw_only=True, eq=False)
class _Here:
    """An instance with its place and what its kind can be."""

    instance: Instance
    site: Site
    roles: frozenset[str]

    @property
    def is_server(self) -> bool:
        return not self.roles.isdisjoint(_ANSWERING) and not self.is_host

    @property
    def is_client(self) -> bool:
        return not self.roles.isdisjoint(_ASKING)

    @property
    def is_host(self) -> bool:
        return "grace" in self.roles

    @property
    def at(self) -> str:
        return f"{self.instance.file}:{self.instance.place.line}"


def connections(
    named: Sequence[tuple[Instance, Site]], facts: Sequence[FileFacts], kinds: Mapping[str, Kind]
) -> tuple[list[Link], list[Hosted], list[str]]:
    """Links, what runs in what, and questions, in the order of files and places."""
    here = [_Here(instance=i, site=s, roles=frozenset(kinds[i.kind].roles)) for i, s in named]
    everything = _Everything(here, facts)
    links: dict[tuple[str, str], Link] = {}
    for link in (*everything.of_compose(), *everything.of_kubernetes(), *everything.of_resources()):
        links.setdefault((link.source, link.target), link)
    order = {h.instance.name: number for number, h in enumerate(here)}
    return (
        sorted(links.values(), key=lambda link: (order[link.source], order[link.target])),
        list(everything.hosted()),
        list(dict.fromkeys(everything.questions)),
    )


class _Everything:
    """All instances and what the files say around them."""

    def __init__(self, here: Sequence[_Here], facts: Sequence[FileFacts]) -> None:
        self._here = here
        self._facts = facts
        self._by_file: dict[str, list[_Here]] = {}
        for one in here:
            self._by_file.setdefault(one.site.file, []).append(one)
        self._facts_of = {f.file: f for f in facts}
        self._compose = [service for f in facts for service in f.compose]
        self._workloads = [workload for f in facts for workload in f.workloads]
        self._services = [service for f in facts for service in f.services]
        self._homes = {id(one): home for one in here if (home := self._home(one)) is not None}
        self._living: dict[int, list[_Here]] = {}
        for one in here:
            if (home := self._homes.get(id(one))) is not None:
                self._living.setdefault(id(home), []).append(one)
        self._named: dict[tuple[str, str], list[Service]] = {}
        for service in self._services:
            self._named.setdefault((posixpath.dirname(service.file), service.name), []).append(service)
        self._in_folder: dict[str, list[Workload]] = {}
        for workload in self._workloads:
            self._in_folder.setdefault(posixpath.dirname(workload.file), []).append(workload)
        self._serving: dict[tuple[str, str], ComposeService] = {(s.file, s.name): s for s in self._compose}
        self.questions: list[str] = []

    def _home(self, one: _Here) -> ComposeService | None:
        """The one service of a compose file that an instance runs in."""
        site = one.site
        own = [s for s in self._compose if s.file == site.file and s.root == site.root]
        if own:
            return own[0]
        mounted = [s for s in self._compose if any(_is_within(site.file, mount) for mount in s.mounts)]
        if mounted:
            return mounted[0] if len(mounted) == 1 else None
        built = [s for s in self._compose if s.build is not None and _is_within(site.file, s.build)]
        longest = max((len(s.build or "") for s in built), default=0)
        nearest = [s for s in built if len(s.build or "") == longest]
        return nearest[0] if len(nearest) == 1 else None

    def hosted(self) -> Iterator[Hosted]:
        """What runs in a container, service or unit."""
        hosts: dict[tuple[str, object], list[_Here]] = {}
        for one in self._here:
            if one.is_host:
                hosts.setdefault((one.site.file, one.site.root), []).append(one)
        for guest in self._here:
            if guest.is_host:
                continue
            home = self._homes.get(id(guest))
            near = hosts.get((guest.site.file, guest.site.root), [])
            if home is not None and (home.file, home.root) != (guest.site.file, guest.site.root):
                near = near + hosts.get((home.file, home.root), [])
            for host in near:
                if (
                    host.site.file == guest.site.file
                    and host.site.root == guest.site.root
                    and (guest.site.command is not None or len(guest.site.root) > guest.site.depth)
                ):
                    because = f"both are of one {_WHAT.get(guest.site.format, 'container')}, {guest.at}"
                    yield Hosted(guest=guest.instance.name, host=host.instance.name, because=because)
                    continue
                if home is not None and home.file == host.site.file and home.root == host.site.root:
                    because = f"{guest.site.file} is part of the service {home.name}, {home.file}:{home.line}"
                    yield Hosted(guest=guest.instance.name, host=host.instance.name, because=because)

        for resources in self._placed().values():
            yield from resources.hosted()

    def _answering(self, service: ComposeService, *, to: _Here) -> _Here | None:
        """What answers in a service; None: nothing known, or it is not clear."""
        found = [
            one for one in self._living.get(id(service), ()) if one.is_server and one is not to and _may_meet(to, one)
        ]
        return self._only(found, f"the service {service.name}, {service.file}:{service.line}")

    def _only(self, found: Sequence[_Here], where: str) -> _Here | None:
        """The one of several that may answer."""
        if len(found) > 1:
            names = ", ".join(f"{one.instance.name} ({one.at})" for one in found[:4])
            self.questions.append(f"which of {names} answers at {where}?")
        return found[0] if len(found) == 1 else None

    def of_compose(self) -> Iterator[Link]:
        """Connections to a service of the compose file that the asking instance itself runs by."""
        for one in self._here:
            home = self._homes.get(id(one))
            if home is None or not one.is_client:
                continue
            for mention in self._mentions(one, home):
                service = self._serving.get((home.file, mention.host))
                if service is not None and service is not home:
                    target = self._answering(service, to=one)
                    if target is not None and _is_elsewhere(mention, target):
                        continue
                    kept = self._is_kept(one, home)
                    if target is not None and kept is not None:
                        because = f"{_shortened(mention.text)} at {one.site.file}:{mention.line} names the service {service.name}, {service.file}:{service.line}"
                        options = {} if kept else {"pooled": "no"}
                        yield Link(
                            source=one.instance.name, target=target.instance.name, options=options, because=because
                        )

    def _is_kept(self, one: _Here, home: ComposeService) -> bool | None:
        """Whether connections are kept, where files must say so: to a group of servers of nginx. None: they do not tell."""
        site = one.site
        if site.format != "nginx" or not site.root or "upstream" not in site.root[-1]:
            return True
        name = site.root[-1][0].partition(" ")[2]
        beside = {o.site.file for o in self._living.get(id(home), ())}
        passes = [p for f in self._facts if f.file == site.file or f.file in beside for p in f.passes]
        return is_kept([p.keeping for p in passes if p.upstream == name], home.image)

    def _mentions(self, one: _Here, home: ComposeService) -> Iterator[Mention]:
        """The hosts that an instance connects to, as far as files say."""
        facts = self._facts_of.get(one.site.file)
        if facts is not None and facts.format != "compose":
            deeper = [
                o.site.root
                for o in self._by_file.get(one.site.file, ())
                if o.site.kind == one.site.kind and len(o.site.root) > len(one.site.root)
            ]
            yield from _inside(one, facts, deeper)
            return
        others = [
            o for o in self._here if self._homes.get(id(o)) is home and o.is_client and o.site.command is not None
        ]
        compose = self._facts_of.get(home.file)
        if compose is None or len(others) > 1:
            return
        for mention in compose.mentions:
            if mention.root == home.root:
                yield mention

    def _selected(self, service: Service) -> Workload | None:
        """The one workload whose pods a service selects: in the same folder, of the same namespace."""
        if not service.selector:
            return None
        found = [
            w
            for w in self._in_folder.get(posixpath.dirname(service.file), ())
            if (w.namespace == service.namespace or w.namespace is None or service.namespace is None)
            and all(w.labels.get(key) == value for key, value in service.selector.items())
        ]
        return found[0] if len(found) == 1 else None

    def _service(self, name: str, file: str, namespace: str | None) -> Service | None:
        found = [
            s
            for s in self._named.get((posixpath.dirname(file), name), ())
            if (s.namespace == namespace or s.namespace is None or namespace is None)
        ]
        return found[0] if len(found) == 1 else None

    def _behind(self, service: Service, to: _Here) -> tuple[_Here | None, list[_Here], str]:
        """What answers behind a Kubernetes service, the pods that hold it, and how that is known."""
        workload = self._selected(service)
        if workload is None:
            return None, [], ""
        roots = list(workload.ports)
        if len(roots) > 1 and service.target_port is not None:
            exposing = [root for root in roots if service.target_port in workload.ports[root]]
            roots = exposing or roots
        inside = [o for o in self._by_file.get(workload.file, ()) if o.site.root in roots]
        target = self._only(
            [o for o in inside if o.is_server and _may_meet(to, o)],
            f"the service {service.name}, {service.file}:{service.line}",
        )
        pods = [o for o in inside if o.is_host] if len(roots) == 1 else []
        because = f"the service {service.name} ({service.file}:{service.line}) selects the pods of {workload.name} ({workload.file}:{workload.line})"
        return target, pods, because

    def of_kubernetes(self) -> Iterator[Link]:
        """From an Ingress, or a container that names a service, to what answers in the pods that the service selects."""
        for facts in self._facts:
            for backend in facts.backends:
                service = self._service(backend.service, backend.file, backend.namespace)
                if service is None:
                    continue
                for one in self._by_file.get(backend.file, ()):
                    if one.site.root[: one.site.depth] == backend.scope and one.is_client:
                        yield from self._to_pods(
                            one, service, f"its backend at {backend.file}:{backend.line} is {service.name}"
                        )
            if not facts.workloads:
                continue
            for mention in facts.mentions:
                name, _, rest = mention.host.partition(".")
                if rest and ".svc" not in f".{rest}." and "." in rest:
                    continue
                service = self._service(name, facts.file, None)
                clients = [
                    o
                    for o in self._by_file.get(facts.file, ())
                    if o.site.root == mention.root and o.is_client and not o.is_host
                ]
                if service is not None and len(clients) == 1:
                    yield from self._to_pods(
                        clients[0], service, f"{_shortened(mention.text)} at {facts.file}:{mention.line}"
                    )

    def _to_pods(self, one: _Here, service: Service, begins: str) -> Iterator[Link]:
        target, pods, because = self._behind(service, one)
        balances = not one.roles.isdisjoint(("detection", "deregistration"))
        for other in ([target] if target else []) + (pods if balances else []):
            yield Link(source=one.instance.name, target=other.instance.name, because=f"{begins}; {because}")

    def of_resources(self) -> Iterator[Link]:
        """Resources that others name together: a listener its balancer and target group, a mapping its queue and function."""
        for resources in self._placed().values():
            yield from resources.links()

    def _placed(self) -> dict[str, _Resources]:
        """The resources of each module, with the instances that stand in them."""
        modules = _modules(self._facts)
        for facts in self._facts:
            resources = modules.get(_module(facts) or "")
            for one in self._by_file.get(facts.file, ()) if resources is not None else ():
                address = _address(one.site, facts)
                if resources is not None and address is not None:
                    resources.here.setdefault(address, []).append(one)
        return modules


def joined_configs(sites: Sequence[Site], facts: Sequence[FileFacts]) -> list[Site]:
    """The sites, what a command line starts being one with the file of its own that it names: relative to what its image is built from."""
    builds = {(c.file, c.root): c for each in facts for c in each.compose}
    by_file: dict[tuple[str, str], list[Site]] = {}
    for site in sites:
        if site.command is None:
            by_file.setdefault((posixpath.normpath(site.file), site.kind), []).append(site)
    found: list[Site] = []
    gone: set[int] = set()
    for site in sites:
        whole = site
        if site.configs and (site.format in ("dockerfile", "compose")):
            service = builds.get((site.file, site.root))
            folder = posixpath.dirname(site.file) if service is None or service.build is None else service.build
            named = [posixpath.normpath(posixpath.join(folder, _relative(text))) for text in site.configs]
            files = [file for path in named for file in by_file.get((path, site.kind), ())]
            if len(files) == 1 == len(named):
                # What the command line says goes before what the file says.
                # Variables, if it has any that nobody tells, go before what the file says.
                whole = site if site.is_unsure else replace(joined(site, files[0]), has_config=False)
                gone.add(id(files[0]))
        found.append(whole)
    return [site for site in found if id(site) not in gone]


def _relative(text: str) -> str:
    """The name of a file of Python or another in the image's folder: `python:` and the image's own folder left out."""
    for prefix in ("file:", "/app/", "/code/", "/srv/", "/usr/src/app/"):
        text = text.removeprefix(prefix)
    return text


def joined_balancers(sites: Sequence[Site], facts: Sequence[FileFacts]) -> list[Site]:
    """The sites, a target group being one with the balancer whose listeners send to it, where they are of one kind.

    A balancer with several groups is one instance for each.
    """
    modules = _modules(facts)
    by_file = {each.file: each for each in facts}
    placed: dict[tuple[str, str], list[Site]] = {}
    for site in sites:
        its = by_file[site.file]
        module, address = _module(its), _address(site, its)
        if module is not None and address is not None:
            placed.setdefault((module, address), []).append(site)
    replaced: dict[int, Site] = {}
    gone: set[int] = set()
    for module, resources in modules.items():
        for group, balancers in resources.balanced().items():
            if len(set(balancers)) != 1:
                continue
            for one in placed.get((module, group), ()):
                for balancer in placed.get((module, balancers[0]), ()):
                    if balancer.kind == one.kind:
                        replaced[id(one)] = joined(one, balancer)
                        gone.add(id(balancer))
    return [replaced.get(id(site), site) for site in sites if id(site) not in gone]


def with_balancers(sites: Sequence[Site], facts: Sequence[FileFacts]) -> list[Site]:
    """The sites, services of ECS saying that a balancer checks their tasks where they name its target group."""
    modules = _modules(facts) if any(site.kind == "ecs.service" for site in sites) else {}
    by_file = {each.file: each for each in facts}
    found: list[Site] = []
    for site in sites:
        if site.kind == "ecs.service" and "load_balancer" not in site.options:
            resources = modules.get(_module(by_file[site.file]) or "")
            address = _address(site, by_file[site.file])
            if resources is not None and address is not None and resources.is_balanced(address):
                site = replace(site, options={**site.options, "load_balancer": "yes"})
        found.append(site)
    return found


def _module(facts: FileFacts) -> str | None:
    """What the resources of a file belong to: for Terraform a folder, for CloudFormation the template."""
    if facts.format == "hcl":
        return f"{posixpath.dirname(facts.file)}/"
    return facts.file if facts.addresses else None


def _modules(facts: Sequence[FileFacts]) -> dict[str, _Resources]:
    """The resources of each module."""
    modules: dict[str, _Resources] = {}
    for each in facts:
        module = _module(each)
        if module is not None:
            resources = modules.setdefault(module, _Resources(is_template=bool(each.addresses)))
            for reference in each.references:
                resources.add(reference)
    return modules


def _address(site: Site, facts: FileFacts) -> str | None:
    """The address of the resource that a site stands in."""
    if site.format == "hcl":
        return next((name for name in site.root[0] if name.count(".") == 1), None) if site.root else None
    if len(site.root) > 1 and site.depth == 0 and site.root[0][0] == "Resources":
        return facts.addresses.get(site.root[1][0])
    return None


#: What command lines stand in, by format.
_WHAT: Final = {"systemd": "unit", "compose": "service", "dockerfile": "image"}


def _is_elsewhere(mention: Mention, target: _Here) -> bool:
    """Whether a server says that it listens on other ports than the one that is connected to."""
    ports = ports_of(target.site.hints)
    return mention.port is not None and bool(ports) and mention.port not in ports


_QUEUE_KEYS: Final = frozenset(("event_source_arn", "EventSourceArn"))
_GROUPS: Final = ("aws_lb_target_group", "aws_alb_target_group")


class _Resources:
    """The resources of one module of Terraform, or of a template of CloudFormation."""

    def __init__(self, *, is_template: bool) -> None:
        self.here: dict[str, list[_Here]] = {}
        self._is_template = is_template
        #: By source.
        self._references: dict[str, list[Reference]] = {}

    def add(self, reference: Reference) -> None:
        """One resource names another."""
        if reference.source != reference.target:
            self._references.setdefault(reference.source, []).append(reference)

    def _of_type(self, source: str, *types: str, keys: frozenset[str] = frozenset()) -> list[str]:
        references = self._references.get(source, ())
        found = [r.target for r in references if r.target.partition(".")[0] in types and (not keys or r.key in keys)]
        return list(dict.fromkeys(found))

    def balanced(self) -> dict[str, list[str]]:
        """The balancers of each target group: named by the same listener, or by the listener of a rule."""
        found: dict[str, list[str]] = {}
        for source in self._references:
            if source.partition(".")[0] not in _LISTENERS:
                continue
            listeners = [source, *self._of_type(source, *_LISTENERS)]
            balancers = {b for listener in listeners for b in self._of_type(listener, "aws_lb", "aws_alb")}
            for group in self._of_type(source, *_GROUPS):
                found.setdefault(group, []).extend(sorted(balancers))
        return found

    def links(self) -> Iterator[Link]:
        """What they show."""
        balanced = self.balanced()
        for source in self._references:
            type_ = source.partition(".")[0]
            if type_ == "aws_lambda_event_source_mapping":
                for queue in self._of_type(source, "aws_sqs_queue", keys=_QUEUE_KEYS):
                    for function in self._of_type(source, "aws_lambda_function", "aws_lambda_alias"):
                        yield from self._between(function, queue, source)
            elif type_ == "aws_lambda_function":
                # An event of a function of SAM.
                for queue in self._of_type(source, "aws_sqs_queue", keys=frozenset(("Queue",))):
                    yield from self._between(source, queue, source)
            elif type_ == "aws_api_gateway_integration":
                for function in self._of_type(source, "aws_lambda_function", keys=frozenset(("uri",))):
                    yield from self._between(source, function, source)
            elif type_ == "aws_ecs_service":
                for task in self._of_type(source, "aws_ecs_task_definition"):
                    for group in self._of_type(source, *_GROUPS):
                        for balancer in (group, *balanced.get(group, ())):
                            yield from self._between(balancer, task, source)

    def hosted(self) -> Iterator[Hosted]:
        """The tasks of services, where a task has one container: of several nobody can see which one is waited for."""
        for source in self._references:
            if source.partition(".")[0] != "aws_ecs_service":
                continue
            for task in self._of_type(source, "aws_ecs_task_definition"):
                hosts = [one for one in self.here.get(source, ()) if one.instance.kind == "ecs.service"]
                guests = [one for one in self.here.get(task, ()) if one.instance.kind == "ecs.task"]
                line = next(r for r in self._references[source] if r.target == task)
                if len(hosts) == len(guests) == 1:
                    because = f"{self._shown(source)} names {self._shown(task)}, {line.file}:{line.line}"
                    yield Hosted(guest=guests[0].instance.name, host=hosts[0].instance.name, because=because)

    def is_balanced(self, source: str) -> bool:
        """Whether a resource names a target group."""
        return bool(self._of_type(source, *_GROUPS))

    def _between(self, source: str, target: str, named_by: str) -> Iterator[Link]:
        references = self._references[named_by]
        places = sorted({f"{r.file}:{r.line}" for r in references if r.target in (source, target)})
        places = places or sorted(f"{r.file}:{r.line}" for r in references)[:1]
        shown = " and ".join(places)
        for one in self.here.get(source, ()):
            others = [o for o in self.here.get(target, ()) if (o.is_server or o.is_host) and _may_meet(one, o)]
            if sum(o.is_server for o in others) > 1:
                continue
            for other in others:
                if other.is_host and one.roles.isdisjoint(("detection", "deregistration")):
                    continue
                names = [self._shown(name) for name in (named_by, source, target)]
                both = names[2] if named_by == source else f"both {names[1]} and {names[2]}"
                because = f"{names[0]} names {both}, {shown}"
                yield Link(source=one.instance.name, target=other.instance.name, because=because)

    def _shown(self, address: str) -> str:
        return address.partition(".")[2] if self._is_template else address


_LISTENERS: Final = ("aws_lb_listener", "aws_alb_listener", "aws_lb_listener_rule", "aws_alb_listener_rule")


def _may_meet(one: _Here, other: _Here) -> bool:
    """Whether one may be a client of the other: pools of databases only of databases, and nothing else of these."""
    is_database = not other.roles.isdisjoint(_SESSIONS)
    return is_database is not one.roles.isdisjoint(_DATABASE)


def _is_within(file: str, folder: str) -> bool:
    path = posixpath.normpath(file)
    return path == folder or path.startswith(folder + "/")


def _inside(one: _Here, facts: FileFacts, deeper: Sequence[Root]) -> Iterator[Mention]:
    """The hosts named inside an instance, but not inside one of its kind within it; a name of a group of servers stands for these."""
    root = one.site.root
    for mention in facts.mentions:
        is_inside = mention.root[: len(root)] == root and not any(mention.root[: len(d)] == d for d in deeper)
        if facts.format.startswith("spring"):
            is_inside = root[: len(mention.root)] == mention.root
        if not is_inside:
            continue
        yield from facts.groups.get(mention.host, (mention,))


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:57] + "…"
