"""Runs git, and builds the repository of a small service and branches of it, for what compares revisions."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

__all__ = ["LB", "SERVER", "SPEC", "Repository", "git"]

SPEC = """\
outlast: 1
title: Go API behind an ALB

components:
  browser: generic.unknown-client
  lb:      aws.alb
  api:     go.http-server

links:
  - browser -> lb -> api

parameters:
  lb.idle_timeout:  { free: 1s..4000s, at: 'infra/lb.tf#aws_lb.main:idle_timeout' }
  api.idle_timeout: { free: 1s..1h, at: 'server/main.go#main:IdleTimeout' }
"""
LB = """\
resource "aws_lb" "main" {
  name               = "api"
  load_balancer_type = "application"
  idle_timeout       = 60
}
"""
SERVER = """\
package main

import (
	"log"
	"net/http"
	"time"
)

func main() {
	server := &http.Server{
		Addr:        ":8080",
		IdleTimeout: 300 * time.Second,
	}
	log.Fatal(server.ListenAndServe())
}
"""

_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_AUTHOR_DATE": "2026-11-01T12:00:00Z",
    "GIT_COMMITTER_DATE": "2026-11-01T12:00:00Z",
}


def git(folder: Path, *arguments: str) -> str:
    """What git prints; whoever runs it, it has the same author, day and settings."""
    settings = ("-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always")
    run = subprocess.run(
        ["git", *settings, *arguments],
        cwd=folder,
        env={**os.environ, **_ENVIRONMENT},
        check=True,
        capture_output=True,
        text=True,
    )
    return run.stdout.strip()


class Repository:
    """A repository with files on `main`; `change` writes to the worktree."""

    def __init__(self, top: Path, files: dict[str, str]) -> None:
        self.top = top
        top.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q")
        self.write(files)
        self.commit("first")

    def git(self, *arguments: str) -> str:
        """What git prints."""
        return git(self.top, *arguments)

    def write(self, files: dict[str, str]) -> None:
        """Write files of the worktree."""
        for name, text in files.items():
            path = self.top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def change(self, name: str, old: str, new: str) -> None:
        """Replace the one place in a file that says `old`."""
        path = self.top / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, (name, old)
        path.write_text(text.replace(old, new), encoding="utf-8")

    def commit(self, message: str) -> None:
        """Commit everything."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
