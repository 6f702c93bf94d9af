"""Whose configuration a file is that its name does not tell (`.conf`, `sites-enabled/shop`), by what stands at its beginning."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["HEAD", "is_marked_up", "speaks_to_mysql", "told_by_content"]

#: So many bytes are looked at: a licence may stand first.
HEAD: Final = 65_536

#: Sections of HAProxy, alone on their line.
_HAPROXY: Final = re.compile(
    rb"^(?:global|defaults(?:[ \t]+[\w.-]+)?|(?:frontend|backend|listen|resolvers|peers|mailers|userlist|ring|fcgi-app|log-forward|http-errors"
    rb"|cache|program|crt-store)[ \t]+[\w.:-]+[^\n={;]*)[ \t\r]*(?:#[^\n]*)?$",
    re.M,
)
#: Sections and well-known directives of Apache httpd.
_APACHE: Final = re.compile(
    rb"^[ \t]*(?:</?[A-Z]\w+[^>\n]*>|(?:KeepAlive|Timeout|Proxy|LoadModule|Server(?:Name|Tokens|Limit|Root)|RequestReadTimeout|Listen"
    rb"|MaxRequestWorkers|StartServers|MaxConnectionsPerChild|GracefulShutdown|Rewrite(?:Engine|Rule|Cond)|DocumentRoot|IncludeOptional"
    rb"|SSLEngine|SSLProtocol|TraceEnable)\w*[ \t])",
    re.M,
)
#: Directives of nginx, with their semicolon.
_NGINX: Final = re.compile(
    rb"^[ \t]*(?:(?:proxy|fastcgi|uwsgi|scgi|grpc|client|send|keepalive|ssl|gzip|brotli|resolver|limit_req|limit_conn|real_ip|set_real|access"
    rb"|error|worker|auth_basic|auth_request|lingering|reset|tcp|sub|open_file|server_name|server_tokens|large_client|add|types_hash"
    rb"|variables_hash|map_hash|log)(?:_\w+)?|listen|root|expires|sendfile|rewrite|return|try_files|allow|deny|http2)[ \t]++(?!=)[^\n;{}]*;",
    re.M,
)
#: Blocks of nginx in which a semicolon follows before an equals sign does.
_NGINX_BLOCK: Final = re.compile(
    rb"^[ \t]*(?:server|http|events|stream|types|(?:upstream|location|geo|if)[ \t]+[^\n{;#=][^\n{;#]*|map[ \t]+\S+[ \t]+[^\s{]+)"
    rb"\s*(?:#[^\n]*\s*)?\{(?=[^=]{0,400};)",
    re.M,
)
_INI: Final = re.compile(rb"^[ \t]*\[[^\]\n]+\][ \t\r]*$|^[ \t]*[\w.-]+[ \t]*=", re.M)
_KNOWN: Final = ((_HAPROXY, "haproxy"), (_APACHE, "apache"), (_NGINX, "nginx"), (_NGINX_BLOCK, "nginx"), (_INI, "ini"))

#: XML that says so, or elements with a text or without content: Apache's sections hold lines. JSON: what begins neither a section nor a key.
_XML: Final = re.compile(rb"<[?!]")
_ELEMENT: Final = re.compile(
    rb"<([A-Za-z][\w.:-]*+)(?:[ \t\r\n][^<>\n]*+)?>[^<\n]*+</\1>|<[A-Za-z][\w.:-]*+(?:[ \t\r\n][^<>\n]*)?/>"
)
_JSON: Final = re.compile(rb"\{[ \t\r\n]*[\"}/]|\[[ \t\r\n]*(?:[{\"]|\[[^\n\]]*\][ \t]*,)")
_MYSQL: Final = re.compile(rb"^[ \t]*\[[ \t]*(?:mysql|mariadb|client|server\b)", re.M)


def is_marked_up(data: bytes) -> bool:
    """Whether a file is XML or JSON, as its beginning tells."""
    head = data[:HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head[:1] == b"<":
        return _XML.match(head) is not None or _ELEMENT.search(head) is not None
    return _JSON.match(head) is not None


def speaks_to_mysql(data: bytes) -> bool:
    """Whether a file has a section that MySQL, MariaDB or one of their clients reads."""
    return _MYSQL.search(data[:HEAD]) is not None


def told_by_content(data: bytes) -> str | None:
    """The name of the format: `haproxy`, `apache`, `nginx` or `ini`; None: nothing there tells, or it is XML or JSON."""
    if is_marked_up(data):
        return None
    head = data[:HEAD]
    return next((name for pattern, name in _KNOWN if pattern.search(head)), None)
