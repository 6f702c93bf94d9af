"""Which format a file is in, told from its name and, where names do not tell, from its first bytes; readers are imported when needed."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Final, cast

from outlast.configs.content import is_marked_up, speaks_to_mysql, told_by_content
from outlast.configs.setting import Setting
from outlast.constraints.record import record

__all__ = ["FORMATS", "Format", "format_of", "may_have_format"]


@record(kw_only=True)
class Format:
    """A format of files, and who reads it."""

    name: str
    #: A module of `outlast.configs.readers` and its reading function.
    module: str
    function: str = "read"
    #: The module that tells what `module` does not read, its function named alike; None: a format that lists all keys.
    unread_module: str | None = None
    #: The dialect of durations where neither the setting nor its key tells one (dialects.py); None: not told by the format.
    dialect: str | None = None
    #: Endings of names, or whole names; in lower case.
    names: tuple[str, ...] = ()

    def read(self, data: bytes, file: str) -> tuple[Setting, ...]:
        """The settings of a file of this format; raises `OutlastError` with a place if it is not."""
        reader = getattr(import_module(f"outlast.configs.readers.{self.module}"), self.function)
        return cast(Callable[[bytes, str], tuple[Setting, ...]], reader)(data, file)

    def unread(self, data: bytes, file: str) -> tuple[Setting, ...]:
        """Where keys get values that are not read, as setting.py tells; none for formats that list all keys; raises as `read` does."""
        if self.unread_module is None:
            return ()
        module = import_module(f"outlast.configs.readers.{self.unread_module}")
        reader = getattr(module, self.function.replace("read", "unread"))
        return cast(Callable[[bytes, str], tuple[Setting, ...]], reader)(data, file)

    def encode(self, setting: Setting, text: str) -> str:
        """How `text` is written in place of a literal; raises `OutlastError` without a place if it cannot be."""
        writer = import_module(f"outlast.configs.readers.{self.module}").encode
        return cast(Callable[[Setting, str], str], writer)(setting, text)


#: By name. Names that end alike are told apart in `format_of`.
FORMATS: Final[dict[str, Format]] = {
    f.name: f
    for f in (
        Format(name="yaml", module="yaml_files", names=(".yaml", ".yml")),
        Format(name="helm", module="helm", names=(".tpl",)),
        Format(name="compose", module="yaml_files", dialect="go"),
        Format(name="spring-yaml", module="yaml_files", dialect="spring"),
        Format(name="json", module="json_files", names=(".json", ".jsonc", ".json5")),
        Format(name="toml", module="toml", names=(".toml",)),
        Format(name="properties", module="properties", names=(".properties",)),
        Format(name="spring-properties", module="properties", dialect="spring"),
        Format(name="env", module="env", names=(".env",)),
        Format(name="shell", module="env", function="read_shell", names=(".sh", ".bash", ".envrc")),
        Format(name="ini", module="ini", function="read", names=(".ini", ".cfg")),
        Format(name="mysql", module="ini", function="read_mysql", names=(".cnf",)),
        Format(name="pgbouncer", module="ini", function="read_pgbouncer", dialect="seconds", names=("pgbouncer.ini",)),
        Format(name="postgres", module="ini", function="read_postgres", dialect="postgres", names=("postgresql.conf", "postgresql.auto.conf")),
        Format(
            name="systemd",
            module="systemd",
            dialect="systemd",
            names=(".service", ".socket", ".timer", ".mount", ".automount", ".path", ".target", ".scope", ".slice", ".swap", ".network",
                   ".netdev", ".nspawn", "systemd/system.conf", "systemd/user.conf", "systemd/logind.conf", "systemd/resolved.conf",
                   "systemd/journald.conf", "systemd/timesyncd.conf"),
        ),
        Format(name="nginx", module="nginx", dialect="nginx", names=("nginx.conf", ".nginx", ".nginxconf")),
        Format(name="haproxy", module="haproxy", dialect="haproxy", names=("haproxy.cfg", "haproxy.conf", ".haproxy")),
        Format(name="apache", module="apache", dialect="apache", names=("httpd.conf", "apache2.conf", ".htaccess", ".vhost")),
        Format(name="hcl", module="hcl", names=(".tf", ".tfvars", ".hcl")),
        Format(name="dockerfile", module="dockerfile", names=("dockerfile", "containerfile", ".dockerfile", ".containerfile")),
        Format(name="go", module="go", unread_module="go_unread", dialect="nanos", names=(".go",)),
        Format(name="typescript", module="javascript", function="read_typescript", unread_module="javascript_unread", dialect="node",
               names=(".ts", ".mts", ".cts")),
        Format(name="javascript", module="javascript", unread_module="javascript_unread", dialect="node", names=(".js", ".mjs", ".cjs", ".jsx", ".tsx")),
        Format(name="python", module="python", unread_module="python_unread", names=(".py",)),
        Format(name="java", module="java", unread_module="java", names=(".java",)),
    )
}  # fmt: skip

_ENDINGS: Final = tuple((name, f) for f in FORMATS.values() for name in f.names)
#: Endings.
_BY_SUFFIX: Final = {name: f for name, f in _ENDINGS if name.startswith(".")}
#: Whole names, some with their folder.
_OTHERS: Final = tuple((name, f) for name, f in _ENDINGS if not name.startswith("."))

_COMPOSE: Final = re.compile(r"(?:docker-)?compose(?:[.-][^/]*)?\.ya?ml")
_SPRING: Final = re.compile(r"(?:application|bootstrap)(?:-[^/]*)?\.(ya?ml|properties)")
_DOTENV: Final = re.compile(r"\.env(?:\..*)?")
_DOCKER: Final = re.compile(r"(?:docker|container)file(?:\.(?!dockerignore$).*)?")

#: Folders whose files, without an ending, are one server's configuration.
_FOLDERS: Final = re.compile(r"(?:^|/)(?:nginx|apache2|httpd|haproxy|(?:sites|conf|mods)-(?:enabled|available))/[^/.]+")

#: Other files of that ending are OpenSSL's and the like.
_MYSQL: Final = re.compile(r"(?:^|/)(?:[^/]*(?:mysql|mariadb)[^/]*/.*|[^/]*(?:mysqld?|mariadb)[^/]*|\.?my)\.cnf")

_TOLD_BY_CONTENT: Final = ("conf", "cfg", "inc", "template")


def may_have_format(path: str) -> bool:
    """Whether a file of this name is worth opening to tell its format."""
    lower = path.lower()
    suffix = lower.rpartition(".")[2]
    return (
        suffix in _TOLD_BY_CONTENT
        or suffix == "txt"
        or bool(_FOLDERS.search(lower))
        or format_of(path, b"") is not None
    )


def format_of(path: str, data: bytes) -> Format | None:
    """The format of a file, by its path with `/` between folders and, for `.conf`, `.cfg`, `.cnf` and templates, by its content.

    >>> format_of("deploy/web.yaml", b"").name
    'yaml'
    """
    lower = path.lower()
    name = lower.rpartition("/")[2]
    for ending, format_ in _OTHERS:
        if name == ending or lower.endswith("/" + ending):
            return format_
    if _DOTENV.fullmatch(name):
        return FORMATS["env"]
    if _DOCKER.fullmatch(name):
        return FORMATS["dockerfile"]
    _, dot, suffix = name.rpartition(".")
    if not dot:
        told = told_by_content(data) if _FOLDERS.search(lower) else None
        return None if told in (None, "ini") else FORMATS[told]
    if suffix in ("yaml", "yml", "properties") and (match := _SPRING.fullmatch(name)):
        return FORMATS["spring-properties" if match[1] == "properties" else "spring-yaml"]
    if suffix in ("yaml", "yml", "txt") and b"{{" in data and "/templates/" in f"/{lower}":
        return FORMATS["helm"]
    if suffix in ("yaml", "yml") and _COMPOSE.fullmatch(name):
        return FORMATS["compose"]
    if suffix in _TOLD_BY_CONTENT:
        told = told_by_content(data) or ("ini" if suffix == "cfg" and not is_marked_up(data) else None)
        return None if told is None else FORMATS[told]
    if suffix == "cnf" and not _MYSQL.search(lower) and not speaks_to_mysql(data):
        return FORMATS["ini"]
    return _BY_SUFFIX.get(f".{suffix}")
