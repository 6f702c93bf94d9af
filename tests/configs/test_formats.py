"""Which file is whose, by its name and, where that does not tell, by what stands in it."""

from __future__ import annotations

import time

import pytest

from outlast.configs.formats import format_of

NGINX = b"server {\n    listen 80;\n    location / { proxy_read_timeout 60s; }\n}\n"


@pytest.mark.parametrize(
    ("path", "data", "expected"),
    [
        ("a/deploy.YAML", b"", "yaml"),
        ("chart/templates/web.yaml", b"a: {{ .Values.a }}", "helm"),
        ("chart/templates/web.yaml", b"a: 1", "yaml"),
        ("templates/_helpers.tpl", b"", "helm"),
        ("docker-compose.prod.yml", b"", "compose"),
        ("compose.yaml", b"", "compose"),
        ("composer.yaml", b"", "yaml"),
        ("src/main/resources/application-dev.yml", b"", "spring-yaml"),
        ("application.properties", b"", "spring-properties"),
        ("gradle.properties", b"", "properties"),
        (".env", b"", "env"),
        (".env.production", b"", "env"),
        ("web.env", b"", "env"),
        ("run.sh", b"", "shell"),
        ("environment", b"", None),
        ("Dockerfile", b"", "dockerfile"),
        ("Dockerfile.web", b"", "dockerfile"),
        ("Dockerfile.dockerignore", b"", None),
        (".dockerignore", b"", None),
        ("web.dockerfile", b"", "dockerfile"),
        ("etc/mysql/my.cnf", b"", "mysql"),
        ("home/.my.cnf", b"", "mysql"),
        ("my.cnf", b"", "mysql"),
        ("etc/mysql/conf.d/tuning.cnf", b"", "mysql"),
        ("etc/mariadb.conf.d/50-server.cnf", b"", "mysql"),
        ("mysqld.cnf", b"", "mysql"),
        ("db/tuning.cnf", b"# x\n[mysqld]\nwait_timeout = 5\n", "mysql"),
        ("db/tuning.cnf", b"[client-server]\n", "mysql"),
        ("openssl.cnf", b"[ CA_default ]\ndefault_days = 365\n", "ini"),
        ("tls/dummy.cnf", b"[req]\nclient = 1\n", "ini"),
        ("pgbouncer.ini", b"", "pgbouncer"),
        ("postgresql.conf", b"a = 1", "postgres"),
        ("a/web.service", b"", "systemd"),
        ("etc/systemd/system.conf", b"", "systemd"),
        ("lb.tf", b"", "hcl"),
        ("prod.tfvars", b"", "hcl"),
        ("a.tsx", b"", "javascript"),
        ("a.mts", b"", "typescript"),
        ("README", b"", None),
        ("a.rs", b"", None),
        # By content.
        ("conf.d/web.conf", NGINX, "nginx"),
        ("conf.d/timeouts.conf", b"proxy_read_timeout 60s;\r\n", "nginx"),
        ("nginx/proxy_params", b"proxy_read_timeout 60s;\n", "nginx"),
        ("sites-enabled/shop", NGINX, "nginx"),
        ("sites-enabled/shop", b"<VirtualHost *:80>\n</VirtualHost>\n", "apache"),
        ("conf.d/web.conf", b"# " + b"x" * 9000 + b"\n" + NGINX, "nginx"),
        ("conf.d/app.conf", b"Listen 80\nServerTokens Prod\n", "apache"),
        ("lb.cfg", b"resolvers dns\n    nameserver a 10.0.0.2:53\n", "haproxy"),
        ("lb.cfg", b"global\n    maxconn 10\n", "haproxy"),
        ("setup.cfg", b"[metadata]\nname = x\n", "ini"),
        # Others' files, which must not be taken for these.
        (
            "logrotate.d/app.conf",
            b"/var/log/app.log {\n  daily\n  postrotate\n    kill -HUP 1;\n  endscript\n}\n",
            None,
        ),
        ("named.conf", b'options {\n  directory "/var/cache/bind";\n};\n', None),
        ("application.conf", b"server {\n  timeout = 5s\n  port = 80\n}\n", "ini"),
        ("fonts.conf", b'<?xml version="1.0"?>\n<a>\n  Timeout = 5\n</a>\n', None),
        ("fonts.conf", b"\xef\xbb\xbf\n<!DOCTYPE a>\n<Timeout>\nTimeout 5\n</Timeout>\n", None),
        ("bus.conf", b'<busconfig>\n  <limit name="reply_timeout">30000</limit>\n[a]\nb = 1\n</busconfig>\n', None),
        ("log.cfg", b"<Configuration>\n  <Timeout>5</Timeout>\n</Configuration>\n", None),
        ("log.cfg", b'<Configuration>\n  <Timeout\n  a="5" />\n</Configuration>\n', None),
        ("a.conf", b"<VirtualHost *:80>\n  ProxyPass / http://a/\n</VirtualHost>\n", "apache"),
        ("a.conf", b"<RequireAll>\nRequire all granted\n</RequireAll>\n", "apache"),
        ("a.cfg", b'{\n  "timeout": "5s",\n  "a": 1\n}\n', None),
        ("a.conf", b'{ "a = b": {\n "x": 1 }}', None),
        ("a.conf", b'[\n  {"a": 1}\n]\n', None),
        ("a.cfg", b"[a]\nb = 1\n", "ini"),
        ("a.cfg", b'["a"]\nb = 1\n', None),
        ("redis.conf", b"bind 127.0.0.1\ntimeout 0\n", None),
        ("sysctl.conf", b"net.ipv4.tcp_retries2 = 8\n", "ini"),
    ],
)
def test_a_file_is_of_this_format(path: str, data: bytes, expected: str | None) -> None:
    found = format_of(path, data)
    assert (None if found is None else found.name) == expected


@pytest.mark.parametrize(
    "unit",
    [
        b" ",
        b"server ",
        b"if x ",
        b"location a\n",
        b"<A",
        b"map a b\n",
        b"server {\n",
        b"#",
        b"http\n\n\n",
        b"<a ",
        b"<a>",
        b"<a>\n",
        b"<a\n",
        b"{ ",
        b"[[",
    ],
)
def test_looking_at_the_content_takes_no_time(unit: bytes) -> None:
    start = time.process_time()
    format_of("a.conf", unit * (65_536 // len(unit)))
    format_of("a.cnf", unit * (65_536 // len(unit)))
    assert time.process_time() - start < 2
