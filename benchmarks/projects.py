"""Made projects of configuration and source files in every format that is read; the same files for the same number."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

#: How many blocks a file has; most are short.
BLOCKS = (2, 3, 4, 4, 5, 6, 8, 12, 30)
WORDS = (
    "order",
    "payment",
    "cart",
    "stock",
    "user",
    "invoice",
    "session",
    "report",
    "catalog",
    "search",
    "mail",
    "audit",
)


def _name(chance: Random) -> str:
    return f"{chance.choice(WORDS)}{chance.randrange(1000)}"


def deployment(chance: Random, blocks: int) -> str:
    parts = []
    for _ in range(blocks):
        name = _name(chance)
        parts.append(f"""apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
  namespace: shop
  labels: {{ app: {name}, tier: backend }}
  annotations:
    example.com/owner: "team-{chance.choice(WORDS)}"
    nginx.ingress.kubernetes.io/proxy-read-timeout: "{chance.randrange(10, 90)}"
spec:
  replicas: {chance.randrange(1, 9)}
  selector:
    matchLabels:
      app: {name}
  template:
    metadata:
      labels:
        app: {name}
    spec:
      terminationGracePeriodSeconds: {chance.randrange(20, 90)}
      serviceAccountName: {name}
      containers:
        - name: web
          image: registry.example.com/{name}:{chance.randrange(9)}.{chance.randrange(20)}.0
          args: ["--port=8080", "--read-timeout={chance.randrange(5, 60)}s", "--log-level", "info"]
          ports:
            - name: http
              containerPort: 8080
          env:
            - name: UPSTREAM_TIMEOUT
              value: "{chance.randrange(5, 60)}s"
            - name: DATABASE_URL
              valueFrom:
                secretKeyRef:
                  name: {name}-db
                  key: url
          resources:
            requests: {{ cpu: 250m, memory: 256Mi }}
            limits:
              cpu: "1"
              memory: 512Mi
          readinessProbe:
            httpGet: {{ path: /ready, port: http }}
            periodSeconds: 10
            timeoutSeconds: 2
""")
    return "---\n".join(parts)


def values(chance: Random, blocks: int) -> str:
    parts = [f"""{_name(chance)}:
  enabled: true
  image:
    repository: registry.example.com/{_name(chance)}
    tag: "{chance.randrange(9)}.{chance.randrange(20)}"
  # how long a request may take
  timeout: {chance.randrange(5, 60)}s
  service:
    type: ClusterIP
    port: 80
  nodeSelector: {{}}
  tolerations: []
""" for _ in range(blocks)]  # fmt: skip
    return "\n".join(parts)


def template(chance: Random, blocks: int) -> str:
    parts = [f"""{{{{- if .Values.{_name(chance)}.enabled }}}}
apiVersion: v1
kind: Service
metadata:
  name: {{{{ include "chart.name" . }}}}-{_name(chance)}
  labels: {{{{- include "chart.labels" . | nindent 4 }}}}
spec:
  type: {{{{ .Values.service.type }}}}
  sessionAffinityConfig:
    clientIP:
      timeoutSeconds: {{{{ .Values.affinity | default {chance.randrange(600, 9000)} }}}}
  ports:
    - port: {{{{ .Values.service.port }}}}
      targetPort: http
{{{{- end }}}}
""" for _ in range(blocks)]  # fmt: skip
    return "---\n".join(parts)


def document(chance: Random, blocks: int) -> str:
    return json.dumps({_name(chance): {"host": f"{_name(chance)}.example.com", "port": chance.randrange(9000), "tls": {"enabled": True, "versions": ["1.2", "1.3"]},
                                       "timeoutMs": chance.randrange(100, 9000), "retries": 3, "tags": [_name(chance) for _ in range(6)]}
                       for _ in range(blocks)}, indent=2) + "\n"  # fmt: skip


def toml(chance: Random, blocks: int) -> str:
    return "\n".join(f"""[{_name(chance)}{n}]
address = "{_name(chance)}.example.com:{chance.randrange(9000)}"
read_timeout = "{chance.randrange(5, 60)}s"
max_connections = {chance.randrange(900)}
labels = ["{_name(chance)}", "{_name(chance)}"]
limits = {{ requests = 100, burst = 20 }}
""" for n in range(blocks))  # fmt: skip


def properties(chance: Random, blocks: int) -> str:
    return "".join(f"""# {_name(chance)}
{_name(chance)}.datasource.url=jdbc:postgresql://db/{_name(chance)}
{_name(chance)}.datasource.connection-timeout={chance.randrange(1000, 60000)}
{_name(chance)}.datasource.maximum-pool-size={chance.randrange(50)}
""" for _ in range(blocks))  # fmt: skip


def env(chance: Random, blocks: int) -> str:
    return "".join(f"""{_name(chance).upper()}_URL=https://{_name(chance)}.example.com
{_name(chance).upper()}_TIMEOUT={chance.randrange(5, 60)}s
export {_name(chance).upper()}_KEY="{_name(chance)}"
""" for _ in range(blocks))  # fmt: skip


def ini(chance: Random, blocks: int) -> str:
    return "".join(f"""[{_name(chance)}{n}]
host = {_name(chance)}.example.com
wait_timeout = {chance.randrange(100, 900)}
max_allowed_packet = 64M
""" for n in range(blocks))  # fmt: skip


def unit(chance: Random, blocks: int) -> str:
    return f"""[Unit]
Description={_name(chance)}
After=network-online.target

[Service]
ExecStart=/usr/bin/{_name(chance)} --listen :8080 --idle-timeout {chance.randrange(5, 60)}s
TimeoutStopSec={chance.randrange(20, 90)}
Restart=always
RestartSec=500ms
LimitNOFILE=65536
""" + "".join(f"Environment={_name(chance).upper()}={_name(chance)}\n" for _ in range(blocks))


def nginx(chance: Random, blocks: int) -> str:
    servers = "".join(f"""  server {{
    listen 443 ssl;
    server_name {_name(chance)}.example.com;
    client_max_body_size 10m;
    location / {{
      proxy_pass http://{_name(chance)};
      proxy_read_timeout {chance.randrange(5, 60)}s;
      proxy_set_header Host $host;
    }}
  }}
""" for _ in range(blocks))  # fmt: skip
    return f"events {{ worker_connections 1024; }}\nhttp {{\n  keepalive_timeout 75s;\n{servers}}}\n"


def haproxy(chance: Random, blocks: int) -> str:
    return "defaults\n  mode http\n  timeout connect 5s\n  timeout client 30s\n  timeout server 30s\n" + "".join(f"""
backend {_name(chance)}{n}
  balance roundrobin
  timeout server {chance.randrange(5, 60)}s
  server {_name(chance)} 10.0.0.{n}:8080 check inter 2s fall 3
""" for n in range(blocks))  # fmt: skip


def apache(chance: Random, blocks: int) -> str:
    return "Timeout 60\nKeepAlive On\nKeepAliveTimeout 5\n" + "".join(f"""<VirtualHost *:443>
  ServerName {_name(chance)}.example.com
  ProxyPass "/" "http://{_name(chance)}:8080/" timeout={chance.randrange(5, 60)} keepalive=On
  ErrorLog ${{APACHE_LOG_DIR}}/{_name(chance)}.log
</VirtualHost>
""" for _ in range(blocks))  # fmt: skip


def terraform(chance: Random, blocks: int) -> str:
    return "\n".join(f"""resource "aws_lb" "{_name(chance)}{n}" {{
  name               = "${{var.prefix}}-{_name(chance)}"
  load_balancer_type = "application"
  idle_timeout       = {chance.randrange(20, 400)}
  subnets            = var.subnets
  tags = {{
    owner = "{_name(chance)}"
    tier  = "edge"
  }}
}}
""" for n in range(blocks))  # fmt: skip


def dockerfile(chance: Random, blocks: int) -> str:
    runs = "".join(f"RUN apt-get install -y {_name(chance)} && rm -rf /var/lib/apt/lists/*\n" for _ in range(blocks))
    return f"""FROM python:3.12-slim
ENV APP_TIMEOUT={chance.randrange(5, 60)}
{runs}COPY . /app
HEALTHCHECK --interval=30s --timeout=3s CMD curl -f http://localhost/ || exit 1
CMD ["gunicorn", "--timeout", "{chance.randrange(20, 90)}", "app:app"]
"""


def go(chance: Random, blocks: int) -> str:
    timed = chance.random() < 0.4
    parts = ["package shop\n", 'import (\n\t"context"\n\t"net/http"\n\t"time"\n)\n' if timed else 'import "net/http"\n']
    for n in range(blocks):
        name = _name(chance).capitalize()
        client = f"&http.Client{{Timeout: {chance.randrange(5, 60)} * time.Second}}" if timed else "http.DefaultClient"
        parts.append(f"""// {name}{n} loads orders and keeps them sorted.
type {name}{n} struct {{
	client *http.Client
	items  map[string]int
	total  int
}}

func New{name}{n}(base string) *{name}{n} {{
	return &{name}{n}{{client: {client}, items: map[string]int{{"a": 1, "b": 2, base: {chance.randrange(99)}}}}}
}}

func (s *{name}{n}) Load(id string, limit int) (int, error) {{
	for i := 0; i < limit; i++ {{
		if v, ok := s.items[id]; ok && v > {chance.randrange(50)} {{
			s.total += v * 2
			continue
		}}
		response, err := s.client.Get("https://{name}.example.com/" + id)
		if err != nil {{
			return 0, err
		}}
		defer response.Body.Close()
	}}
	return s.total, nil
}}
""")
    return "\n".join(parts)


def typescript(chance: Random, blocks: int) -> str:
    timed = chance.random() < 0.4
    parts = ["import axios from 'axios';\nimport { Injectable } from '@nestjs/common';\n"]
    for n in range(blocks):
        name = _name(chance).capitalize()
        option = f", timeout: {chance.randrange(500, 9000)}" if timed else ""
        parts.append(f"""@Injectable()
export class {name}{n} {{
  private readonly items: Map<string, number> = new Map([['a', 1], ['b', {chance.randrange(99)}]]);
  private client = axios.create({{ baseURL: 'https://{name}.example.com'{option} }});

  load(id: string, limit = {chance.randrange(20)}): number {{
    let total = 0;
    for (let i = 0; i < limit; i++) {{
      const value = this.items.get(id) ?? 0;
      if (value > {chance.randrange(50)}) {{
        total += value * 2;
      }}
    }}
    return total;
  }}
}}
""")
    return "\n".join(parts)


def javascript(chance: Random, blocks: int) -> str:
    timed = chance.random() < 0.4
    parts = ["const http = require('http');\n"]
    for n in range(blocks):
        name = _name(chance)
        extra = f"server{n}.keepAliveTimeout = {chance.randrange(5, 90)} * 1000;\n" if timed else ""
        parts.append(f"""const server{n} = http.createServer((request, response) => {{
  const items = {{ a: 1, b: {chance.randrange(99)}, name: '{name}' }};
  if (request.url.startsWith('/{name}')) {{
    response.end(JSON.stringify(items));
    return;
  }}
  response.statusCode = 404;
  response.end(`no ${{request.url}}`);
}});
{extra}server{n}.listen({chance.randrange(9000)});
""")
    return "\n".join(parts)


def python(chance: Random, blocks: int) -> str:
    timed = chance.random() < 0.4
    parts = ['"""Orders."""\nfrom __future__ import annotations\n\nimport httpx\n']
    for n in range(blocks):
        name = _name(chance)
        option = f", timeout={chance.randrange(1, 30)}" if timed else ""
        parts.append(f'''
class {name.capitalize()}{n}:
    """Loads orders and keeps them sorted."""

    limit: int = {chance.randrange(99)}

    def __init__(self, base: str) -> None:
        self._client = httpx.Client(base_url=base{option})
        self._items = {{"a": 1, "b": {chance.randrange(99)}, base: [1, 2, 3]}}

    def load(self, key: str, *, strict: bool = False) -> int:
        total = 0
        for number, value in enumerate(self._items.get(key, ())):
            if value > {chance.randrange(50)} and not strict:
                total += value * 2 + number
        return total
''')
    return "".join(parts)


def java(chance: Random, blocks: int) -> str:
    timed = chance.random() < 0.4
    methods = "".join(f"""
    private final Map<String, Integer> items{n} = Map.of("a", 1, "b", {chance.randrange(99)});

    public int load{n}(String id, int limit) {{
        int total = 0;
        for (int i = 0; i < limit; i++) {{
            Integer value = items{n}.getOrDefault(id, 0);
            if (value > {chance.randrange(50)}) {{
                total += value * 2;
            }}
        }}
        return total;
    }}
""" for n in range(blocks))  # fmt: skip
    client = (
        f"HttpClient.newBuilder().connectTimeout(Duration.ofSeconds({chance.randrange(1, 30)}))"
        if timed
        else "HttpClient.newBuilder()"
    )
    return f"""package com.example.shop;

import java.net.http.HttpClient;
import java.util.Map;
{"import java.time.Duration;" if timed else ""}

public class {_name(chance).capitalize()} {{
    private final HttpClient client = {client}.build();
{methods}}}
"""


#: How often of 100, the name of the file, and what is in it.
KINDS: tuple[tuple[int, str, Callable[[Random, int], str]], ...] = (
    (16, "{}.yaml", deployment),
    (7, "{}-values.yaml", values),
    (4, "templates/{}.yaml", template),
    (11, "{}.json", document),
    (4, "{}.toml", toml),
    (3, "{}.properties", properties),
    (3, "{}.env", env),
    (2, "{}.ini", ini),
    (2, "{}.service", unit),
    (2, "{}/nginx.conf", nginx),
    (1, "{}/haproxy.cfg", haproxy),
    (1, "{}/httpd.conf", apache),
    (5, "{}.tf", terraform),
    (3, "{}/Dockerfile", dockerfile),
    (12, "{}.go", go),
    (7, "{}.ts", typescript),
    (5, "{}.js", javascript),
    (8, "{}.py", python),
    (4, "{}.java", java),
)  # fmt: skip

IGNORED = "*.log\n*.tmp\n/out/\n.idea/\n*.py[cod]\n!keep.log\n**/cache/**\ncoverage/\n.DS_Store\n/tmp-*\n"


def write_project(root: Path, files: int) -> list[Path]:
    """So many files in folders of some twenty, with what is left out between them; the paths of those to read."""
    chance = Random(files)
    weights = [weight for weight, _, _ in KINDS]
    written = []
    for number in range(files):
        _, name, make = chance.choices(KINDS, weights)[0]
        path = root / f"service{number // 100}" / f"part{number // 20 % 5}" / name.format(f"{_name(chance)}-{number}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(make(chance, chance.choice(BLOCKS)), encoding="utf-8", newline="\n")
        written.append(path)
        if number % 20 == 0:
            (path.parent / f"{number}.log").write_text("a line\n", encoding="utf-8")
            (path.parent / f"{number}.md").write_text("# Notes\n", encoding="utf-8")
    (root / ".git").mkdir()
    (root / ".gitignore").write_text(IGNORED, encoding="utf-8")
    return written
