"""What files say about who talks to whom and what runs where: services, selectors, mounts, references, addresses."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from outlast.configs.recognise.commands import Command
from outlast.configs.recognise.environment import NO_ENVIRONMENT, Environment, environments_of
from outlast.configs.recognise.passing import Pass, passes_of
from outlast.configs.recognise.paths import Item, items_of, path_of
from outlast.configs.recognise.resources import Reference, references_of_template, references_of_terraform
from outlast.configs.select import fold_of, route_text
from outlast.configs.setting import Index, Key, Literal, Setting, Step
from outlast.constraints.files import place_of_byte
from outlast.constraints.record import record

__all__ = [
    "Backend",
    "ComposeService",
    "FileFacts",
    "Mention",
    "Root",
    "Service",
    "Workload",
    "facts_of",
    "may_connect",
]

Root = tuple[Item, ...]


@record(kw_only=True, eq=False)
class Workload:
    """A Kubernetes object with pods."""

    file: str
    line: int
    #: The items of its document.
    scope: Root
    name: str
    namespace: str | None
    #: Of its pods.
    labels: Mapping[str, str]
    #: Names and numbers of the ports of each container, by its root.
    ports: Mapping[Root, frozenset[str]]


@record(kw_only=True, eq=False)
class Service:
    """A Kubernetes service."""

    file: str
    line: int
    name: str
    namespace: str | None
    selector: Mapping[str, str]
    #: Of its only port; None: it has several, or does not tell.
    target_port: str | None


@record(kw_only=True, eq=False)
class Backend:
    """A service that an Ingress sends requests to."""

    file: str
    line: int
    scope: Root
    namespace: str | None
    service: str


@record(kw_only=True, eq=False)
class ComposeService:
    """A service of a compose file."""

    file: str
    line: int
    name: str
    root: Root
    #: The folder that its image is built from, as files are named; None: it is not built here, or of all there is.
    build: str | None
    #: Files and folders here that it sees, with what they are called there; empty: not told.
    mounts: Mapping[str, str]
    image: str | None = None
    #: All that it sets: `command`, `volumes`.
    keys: frozenset[str] = frozenset()
    #: The folder that its image is built from, even if it is that of all there is.
    context: str | None = None
    environment: Environment = NO_ENVIRONMENT


@record(kw_only=True, eq=False)
class Mention:
    """A host that is named as one to connect to."""

    line: int
    #: What encloses it.
    root: Root
    host: str
    #: As it is written: `proxy_pass http://web`.
    text: str
    port: str | None = None


@record(kw_only=True, eq=False)
class FileFacts:
    """All that one file says of this."""

    file: str
    format: str
    #: Of a Dockerfile: the variables that the image has.
    variables: frozenset[str] = frozenset()
    workloads: tuple[Workload, ...] = ()
    services: tuple[Service, ...] = ()
    backends: tuple[Backend, ...] = ()
    compose: tuple[ComposeService, ...] = ()
    references: tuple[Reference, ...] = ()
    #: CloudFormation: by logical name the address, as Terraform would write it.
    addresses: Mapping[str, str] = {}
    #: nginx: where requests are passed on, and whether connections are kept there.
    passes: tuple[Pass, ...] = ()
    mentions: tuple[Mention, ...] = ()
    #: nginx: by name of an upstream its hosts, HAProxy: by name of a backend.
    groups: Mapping[str, tuple[Mention, ...]] = {}
    #: Spring: documents that hold under a condition, those of them that no scope tells from others, and whether other files are imported.
    conditional: frozenset[Root] = frozenset()
    mixed: frozenset[Root] = frozenset()
    imports: bool = False
    #: nginx: scopes in which another file stands that nobody looked at, what holds for all servers, and whether the file has a block `http`.
    includes: frozenset[Root] = frozenset()
    shared: frozenset[str] = frozenset()
    is_main: bool = False


_TELLING: Final = {
    "yaml": (b"kind: Service", b"kind: Ingress", b"kind: Deployment", b"kind: StatefulSet"),
    "compose": (b"services",),
    "hcl": (b"aws_lb_listener", b"aws_alb_listener", b"aws_lambda_event_source_mapping", b"aws_ecs_service"),
}


def may_connect(data: bytes, format_: str) -> bool:
    """Whether a file without any instance may say what belongs together."""
    return any(text in data for text in _TELLING.get(format_, ()))


def facts_of(
    settings: Sequence[Setting], commands: Sequence[Command], data: bytes, file: str, format_: str
) -> FileFacts:
    """What the settings of a file say."""
    reader = _Facts(settings, commands, data, file, format_)
    if format_ == "yaml":
        return reader.cloudformation() or reader.kubernetes()
    if format_ == "json":
        mentions, groups = reader.envoy()
        return reader.cloudformation() or FileFacts(file=file, format=format_, mentions=mentions, groups=groups)
    if format_ == "compose":
        return reader.compose()
    if format_ == "hcl":
        return FileFacts(file=file, format=format_, references=tuple(references_of_terraform(settings, data, file)))
    if format_ in ("nginx", "haproxy", "apache", "spring-yaml", "spring-properties"):
        return reader.servers()
    if format_ == "dockerfile":
        around = environments_of(settings, format_, fold_of(format_)).values()
        return FileFacts(file=file, format=format_, variables=frozenset(n for e in around for n in e.names))
    return FileFacts(file=file, format=format_)


class _Facts:
    def __init__(
        self, settings: Sequence[Setting], commands: Sequence[Command], data: bytes, file: str, format_: str
    ) -> None:
        self._settings = settings
        self._commands = commands
        self._data = data
        self._file = file
        self._format = format_
        self._fold = fold_of(format_)

    def _line(self, setting: Setting) -> int:
        return place_of_byte(self._data, setting.start, self._file).line

    def _from_commands(self) -> Iterator[Mention]:
        for command in self._commands:
            root = items_of(command.scope, command.route, self._fold)
            for name, settings in command.values.items():
                for setting in settings:
                    for host, port in _hosts(setting, urls_only=not _is_host_like(name)):
                        yield Mention(
                            line=self._line(setting), root=root, host=host, port=port, text=f"{name} {setting.raw}"
                        )

    def kubernetes(self) -> FileFacts:
        documents: dict[object, list[Setting]] = {}
        for setting in self._settings:
            if setting.scope:
                documents.setdefault(setting.scope[0], []).append(setting)
        workloads: list[Workload] = []
        services: list[Service] = []
        backends: list[Backend] = []
        for settings in documents.values():
            told = {route_text(s.route): s for s in settings if len(s.route) < 3}
            kind, name = _word(told.get("kind")), _word(told.get("metadata.name"))
            if kind is None or name is None:
                continue
            if kind == "Service":
                services.append(self._service(name, settings, told))
            elif kind == "Ingress":
                backends += self._backends(settings, told)
            elif (workload := self._workload(name, settings, told)) is not None:
                workloads.append(workload)
        mentions, groups = self.envoy()
        return FileFacts(
            file=self._file,
            format=self._format,
            workloads=tuple(workloads),
            services=tuple(services),
            backends=tuple(backends),
            mentions=(*self._from_commands(), *mentions),
            groups=groups,
        )

    def _addresses(self) -> Iterator[Mention]:
        ports = {s.route[:-1]: s for s in self._settings if s.route[-1].name == "port_value"}
        for setting in self._settings:
            if (
                setting.route[-1].name == "address"
                and len(setting.route) > 1
                and setting.route[-2].name == "socket_address"
            ):
                host = _host(_word(setting) or "")
                if host is not None:
                    items, _ = path_of(setting, self._fold)
                    port = _word(ports.get(setting.route[:-1]))
                    text = f"address {setting.raw}"
                    yield Mention(line=self._line(setting), root=items[:-1], host=host, port=port, text=text)

    def envoy(self) -> tuple[tuple[Mention, ...], dict[str, tuple[Mention, ...]]]:
        """Addresses of clusters of Envoy, and routes with the clusters that they name."""
        addresses = tuple(self._addresses())
        if not addresses:
            return (), {}
        names: dict[Root, str] = {}
        routes: list[Mention] = []
        for setting in self._settings:
            steps = [step.name for step in setting.route]
            word = _word(setting)
            if word is None:
                continue
            if steps[:2] == ["static_resources", "clusters"] and steps[3:] == ["name"]:
                names[path_of(setting, self._fold)[0][:-1]] = f"cluster {word}"
            elif steps[-2:] == ["route", "cluster"]:
                root = path_of(setting, self._fold)[0][:-1]
                routes.append(
                    Mention(line=self._line(setting), root=root, host=f"cluster {word}", text=f"cluster {word}")
                )
        groups: dict[str, list[Mention]] = {}
        for root, name in names.items():
            groups.setdefault(name, []).extend(m for m in addresses if m.root[: len(root)] == root)
        return (*addresses, *routes), {name: tuple(of) for name, of in groups.items()}

    def _service(self, name: str, settings: Sequence[Setting], told: Mapping[str, Setting]) -> Service:
        ports = [
            s
            for s in settings
            if s.route[-1].name in ("port", "targetPort") and len(s.route) > 1 and s.route[0] == Key("spec")
        ]
        lists = {s.route[:-1] for s in ports}
        targets = [s for s in ports if s.route[-1].name == "targetPort"] or ports
        return Service(
            file=self._file,
            line=self._line(settings[0]),
            name=name,
            namespace=_word(told.get("metadata.namespace")),
            selector=_labels(settings, ("spec", "selector")),
            target_port=_word(targets[0]) if len(lists) == 1 and targets else None,
        )

    def _backends(self, settings: Sequence[Setting], told: Mapping[str, Setting]) -> Iterator[Backend]:
        for setting in settings:
            names = [step.name for step in setting.route]
            is_backend = names[-3:] == ["backend", "service", "name"] or names[-3:] == [
                "defaultBackend",
                "service",
                "name",
            ]
            service = _word(setting)
            if service is not None and (is_backend or names[-2:] == ["backend", "serviceName"]):
                yield Backend(
                    file=self._file,
                    line=self._line(setting),
                    scope=items_of(setting.scope, (), self._fold),
                    namespace=_word(told.get("metadata.namespace")),
                    service=service,
                )

    def _workload(self, name: str, settings: Sequence[Setting], told: Mapping[str, Setting]) -> Workload | None:
        labels = _labels(settings, ("spec", "template", "metadata", "labels"))
        if not labels and _word(told.get("kind")) == "Pod":
            labels = _labels(settings, ("metadata", "labels"))
        ports: dict[Root, set[str]] = {}
        roots: dict[object, Root] = {}
        for setting in settings:
            route = setting.route
            length = len(route)
            if length > 4 and route[3].name == "containers":
                end = 5
            elif length > 2 and route[1].name == "containers":
                end = 3
            elif length > 6 and route[5].name == "containers":
                end = 7
            else:
                continue
            head = route[:end]
            last = head[-1]
            key = (end, last.position if last.__class__ is Index else None)
            root = roots.get(key) or roots.setdefault(key, items_of(setting.scope, head, self._fold))
            of = ports.setdefault(root, set())
            if len(route) > end and route[end].name == "ports" and route[-1].name in ("containerPort", "name"):
                of.add(_word(setting) or "")
        if not ports:
            return None
        return Workload(
            file=self._file,
            line=self._line(settings[0]),
            scope=items_of(settings[0].scope, (), self._fold),
            name=name,
            namespace=_word(told.get("metadata.namespace")),
            labels=labels,
            ports={root: frozenset(p) for root, p in ports.items()},
        )

    def compose(self) -> FileFacts:
        of: dict[str, list[Setting]] = {}
        for setting in self._settings:
            if len(setting.route) > 2 and setting.route[0] == Key("services") and not setting.scope:
                of.setdefault(setting.route[1].name or "", []).append(setting)
        folder = posixpath.dirname(self._file)
        services: list[ComposeService] = []
        environments = environments_of(self._settings, self._format, self._fold)
        for name, settings in of.items():
            build: str | None = None
            image: str | None = None
            mounts: dict[str, str] = {}
            volumes: dict[tuple[Step, ...], str] = {
                s.route[:-1]: _word(s) or "" for s in settings if s.route[-1].name == "target"
            }
            for setting in settings:
                names = [step.name for step in setting.route[2:]]
                text = _word(setting)
                if text is None:
                    continue
                if names == ["image"]:
                    image = text
                elif names in (["build"], ["build", "context"]) and _is_relative(text):
                    build = posixpath.normpath(posixpath.join(folder, text))
                elif names[0] == "volumes" and (names[-1] == "source" or len(names) == 2):
                    source, _, rest = text.partition(":")
                    target = volumes.get(setting.route[:-1], rest.partition(":")[0])
                    if source.startswith(("./", "../")):
                        mounts[posixpath.normpath(posixpath.join(folder, source))] = target.rstrip("/")
            context = build
            if build is not None and build == posixpath.normpath(folder or "."):
                build = None
            services.append(
                ComposeService(
                    file=self._file,
                    line=self._line(settings[0]),
                    name=name,
                    root=(root := items_of((), settings[0].route[:2], self._fold)),
                    build=build,
                    context=context,
                    environment=environments.get(root, NO_ENVIRONMENT),
                    mounts=mounts,
                    image=image,
                    keys=frozenset(s.route[2].name or "" for s in settings),
                )
            )
        return FileFacts(
            file=self._file, format=self._format, compose=tuple(services), mentions=tuple(self._from_commands())
        )

    def cloudformation(self) -> FileFacts | None:
        """What a template says; None: it is none."""
        addresses, references = references_of_template(self._settings, self._data, self._file)
        if not addresses:
            return None
        return FileFacts(file=self._file, format=self._format, references=references, addresses=addresses)

    def servers(self) -> FileFacts:
        mentions: list[Mention] = []
        groups: dict[str, list[Mention]] = {}
        passes: Mapping[int, tuple[Step, ...]] = {}
        if self._format == "apache" and not _UNPOOLED.search(self._data):
            passes = _proxy_passes(self._settings)
        for setting in self._settings:
            name = setting.route[-1].name or ""
            if name == "address" and self._format == "haproxy":
                name = "server"
            if id(setting) in passes:
                name = "ProxyPass"
            if name.lower() not in _CONNECTING and not (self._format.startswith("spring") and name.endswith("url")):
                continue
            root = items_of(setting.scope, (), self._fold)
            if self._format in ("haproxy", "spring-yaml", "spring-properties"):
                root = path_of(setting, self._fold)[0][:-1]
            if id(setting) in passes:
                root = items_of(setting.scope, passes[id(setting)], self._fold)
            for host, port in _hosts(setting, urls_only=name.lower() != "server"):
                mention = Mention(
                    line=self._line(setting), root=root, host=host, port=port, text=f"{name} {setting.raw}"
                )
                mentions.append(mention)
                last = setting.scope[-1][0] if setting.scope else ""
                if last.partition(" ")[0] in ("upstream", "backend", "listen", "Proxy"):
                    groups.setdefault(last.partition(" ")[2].removeprefix("balancer://"), []).append(mention)
        return FileFacts(
            file=self._file,
            format=self._format,
            mentions=tuple(mentions),
            groups={name: tuple(of) for name, of in groups.items()},
            passes=passes_of(self._settings) if self._format == "nginx" else (),
            **(self._layers() if self._format.startswith("spring") else {}),
            **(self._includes() if self._format == "nginx" else {}),
        )

    def _includes(self) -> dict[str, Any]:
        """What other files of nginx may say of the blocks of this one, and this one of theirs."""
        includes: set[Root] = set()
        shared: set[str] = set()
        is_main = False
        for setting in self._settings:
            name = setting.route[0].name or ""
            is_main = is_main or (bool(setting.scope) and "http" in setting.scope[0])
            if name == "include" and not _HARMLESS.fullmatch(_word(setting) or ""):
                includes.add(items_of(setting.scope, (), self._fold))
            elif not setting.scope or (len(setting.scope) == 1 and "http" in setting.scope[0]):
                shared.add(name)
        return {"includes": frozenset(includes), "shared": frozenset(shared), "is_main": is_main}

    def _layers(self) -> dict[str, Any]:
        """Which documents of a configuration of Spring hold under a condition."""
        conditional: set[Root] = set()
        imports = False
        for setting in self._settings:
            items, depth = path_of(setting, self._fold)
            names = ".".join(item[0] for item in items[depth:])
            if _CONDITION.match(names):
                conditional.add(items[:depth])
            imports = imports or names.startswith(("spring.config.import", "spring.profiles.include"))
        mixed = conditional if self._format == "spring-properties" else ()
        return {"conditional": frozenset(conditional), "mixed": frozenset(mixed), "imports": imports}


#: Files that hold types, parameters for FastCGI, keys, modules, or servers: these are looked at by themselves.
_HARMLESS: Final = re.compile(
    r"(?:.*/)?(?:mime\.types|(?:fastcgi|uwsgi|scgi|proxy)_params|fastcgi\.conf|modules-enabled/.*|(?:conf\.d|sites-enabled|servers|vhosts?(?:\.d)?)/\*[^/]*|[^/]*ssl[^/]*)"
)
_CONDITION: Final = re.compile(r"spring\.(?:config\.activate\.|profiles(?:$|\[|\.\[))")


_CONNECTING: Final = frozenset(
    (
        "server",
        "proxy_pass",
        "grpc_pass",
        "fastcgi_pass",
        "uwsgi_pass",
        "proxypass",
        "balancermember",
        "default_backend",
    )
)


#: Variables of Apache with which connections are not, or only sometimes, used again.
_UNPOOLED: Final = re.compile(rb"proxy-nokeepalive|force-proxy-request-1\.0|proxy-initial-not-pooled")


def _proxy_passes(settings: Sequence[Setting]) -> dict[int, tuple[Step, ...]]:
    """By the URL of each ProxyPass of Apache the route of the instance that it is: `ProxyPass[/shop]`."""
    places = {(s.scope, s.route[1].name): s.route[:2] for s in settings if len(s.route) > 2 and _is_pass(s)}
    found: dict[int, tuple[Step, ...]] = {}
    path: Setting | None = None
    for setting in settings:
        if not _is_pass(setting):
            continue
        if len(setting.route) == 1:
            path = setting
        elif len(setting.route) == 2 and path is not None and path.scope == setting.scope:
            route = places.get((setting.scope, _word(path)))
            if route is not None:
                found[id(setting)] = route
            path = None
    return found


def _is_pass(setting: Setting) -> bool:
    return (setting.route[0].name or "").lower() == "proxypass"


def _is_relative(text: str) -> bool:
    return "$" not in text and "://" not in text and not text.startswith(("/", "~", "git@"))


def _word(setting: Setting | None) -> str | None:
    """What a setting says, if it can be read and is no template."""
    if setting is None:
        return None
    if isinstance(setting.content, Literal) and "{{" not in setting.content.text and "$" not in setting.content.text:
        return setting.content.text
    return None


def _labels(settings: Sequence[Setting], path: tuple[str, ...]) -> dict[str, str]:
    """Labels below a path; none if any cannot be read."""
    found: dict[str, str] = {}
    for setting in settings:
        route = setting.route
        if len(route) != len(path) + 1 or tuple(step.name for step in route[:-1]) != path:
            continue
        value = _word(setting)
        if value is None or isinstance(route[-1], Index):
            return {}
        found[route[-1].name or ""] = value
    return found


_URL: Final = re.compile(
    r"(?:jdbc:)?[a-z][a-z0-9+.-]{1,20}://(?:[^@/\s]{0,200}@)?(\[?[A-Za-z0-9_.-]+)(?::([0-9]{1,5}))?"
)
_HOST: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*")
_HOST_AND_PORT: Final = re.compile(r"([A-Za-z][A-Za-z0-9_.-]*)(?::([0-9]{1,5}))?")
_HOST_LIKE: Final = re.compile(r"(?:.*_)?(?:HOST|HOSTNAME|ADDR|ADDRESS|ENDPOINT|SERVER|SERVERS|BROKERS)")


def _is_host_like(name: str) -> bool:
    return _HOST_LIKE.fullmatch(name) is not None


def _host(text: str) -> str | None:
    return text if _HOST.fullmatch(text) else None


def _hosts(setting: Setting, *, urls_only: bool) -> Iterator[tuple[str, str | None]]:
    """The hosts that a value names, with their ports where it tells them."""
    content = setting.content
    if not isinstance(content, Literal):
        return
    text = content.text
    found: list[tuple[str, str | None]] = [(match[1], match[2]) for match in _URL.finditer(text)]
    if not found and not urls_only:
        parts = [_HOST_AND_PORT.fullmatch(part.strip()) for part in text.split(",")]
        found = [(match[1], match[2]) for match in parts if match is not None]
    for host, port in found:
        if (plain := _host(host)) is not None:
            yield plain, port
