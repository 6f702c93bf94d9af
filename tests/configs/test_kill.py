"""Whenever a process that changes files is killed, each file is whole, and the next run can tell and tidy up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from outlast.configs.transaction import Replacement, State, interrupted, undo, write_all

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")

KILLED = -9
RANDOM_KILLS = int(os.environ.get("OUTLAST_TEST_KILLS", "40"))
#: Every how many calls a kill is tried where the calls of two things are combined.
STEP = int(os.environ.get("OUTLAST_TEST_STEP", "5"))
#: More calls than any of the changes makes.
MANY = 300


class Worker:
    """Forks that change files and die."""

    def __init__(self) -> None:
        script = Path(__file__).with_name("killed.py")
        self.process = subprocess.Popen(
            [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __call__(self, **order: Any) -> int:
        """The exit code; -9: killed."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(order), file=self.process.stdin, flush=True)
        return int(self.process.stdout.readline())


@pytest.fixture(scope="module")
def fork() -> Iterator[Worker]:
    worker = Worker()
    with worker.process:
        yield worker
        assert worker.process.stdin is not None
        worker.process.stdin.close()


@pytest.fixture
def config(tmp_path: Path) -> Iterator[Config]:
    """Files in memory, where there is such a folder; on the disk if OUTLAST_TEST_DISK is set."""
    is_fast = os.access("/dev/shm", os.W_OK) and not os.environ.get("OUTLAST_TEST_DISK")
    with tempfile.TemporaryDirectory(dir="/dev/shm" if is_fast else tmp_path) as folder:
        yield Config(Path(folder) / "repo")


class Config:
    """Three files in two folders, one through a link, with what they hold before and afterwards."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "deploy").mkdir(parents=True)
        self.files = {
            str(root / "deploy/web.yaml"): ("timeout: 10s\r\n" * 50, "timeout: 9s\r\n" * 50),
            str(root / "client.go"): ("x = 10 * time.Second\n" * 40, "x = 500 * time.Millisecond\n" * 60),
            str(root / "linked.conf"): ("keepalive_timeout 75s;\n", "keepalive_timeout 65s;\n"),
        }
        (root / "linked.conf").symlink_to("deploy/nginx.conf")
        self.become(State.OLD)
        self.names = self.listed()

    def become(self, state: State) -> None:
        for path, texts in self.files.items():
            Path(path).write_bytes(texts[state is State.NEW].encode())

    def listed(self) -> list[str]:
        return sorted(str(path) for path in self.root.rglob("*"))

    def states(self) -> list[State]:
        """What each file holds; anything but old or new in full is an error."""
        found = []
        for path, texts in self.files.items():
            index = [text.encode() for text in texts].index(Path(path).read_bytes())
            found.append((State.OLD, State.NEW)[index])
        assert (self.root / "linked.conf").is_symlink()
        return found

    def order(self) -> list[tuple[str, str, str]]:
        return [(path, *texts) for path, texts in self.files.items()]

    def write(self) -> None:
        write_all(
            [Replacement(path=p, before=b.encode(), after=a.encode()) for p, b, a in self.order()],
            journal_folder=str(self.root),
        )

    def check_and_tidy(self) -> list[State]:
        """The states after a kill, which the journal must tell, and undo make uniform without a trace."""
        states = self.states()
        told = interrupted(str(self.root))
        if told is None:
            assert len(set(states)) == 1
        else:
            assert [file.state for file in told.files] == states
            assert not told.is_running
            assert told.is_mixed == (len(set(states)) == 2)
        restored = undo(str(self.root))
        is_mixed = len(set(states)) == 2
        assert len(restored) == (states.count(State.NEW) if is_mixed else 0)
        assert self.states() == ([State.OLD] * len(states) if is_mixed else states)
        assert self.listed() == self.names
        assert interrupted(str(self.root)) is None
        return states


def test_a_kill_before_any_call_leaves_files_whole_and_can_be_taken_back(fork: Worker, config: Config) -> None:
    seen = set()
    for number in range(1, MANY):
        config.become(State.OLD)
        code = fork(do="write", folder=str(config.root), files=config.order(), die=number)
        states = config.check_and_tidy()
        seen.add(tuple(states))
        if code == 0:
            break
        assert code == KILLED
    assert code == 0
    assert states == [State.NEW] * 3
    assert len(seen) == 4  # none, one, two and all replaced


def test_the_next_change_after_a_kill_and_an_undo_goes_through(fork: Worker, config: Config) -> None:
    for number in range(1, MANY, 5):
        config.become(State.OLD)
        if fork(do="write", folder=str(config.root), files=config.order(), die=number) == 0:
            break
        config.check_and_tidy()
        config.become(State.OLD)
        config.write()
        assert config.states() == [State.NEW] * 3
        assert config.listed() == config.names


def test_what_is_left_of_a_journal_without_its_name_does_not_outlive_the_next_change(
    fork: Worker, config: Config
) -> None:
    left = 0
    for number in range(1, MANY):
        fork(do="write", folder=str(config.root), files=config.order(), die=number)
        if interrupted(str(config.root)) is not None:
            break
        left += config.listed() != config.names
        config.write()
        assert config.listed() == config.names
        config.become(State.OLD)
    assert left


@pytest.mark.parametrize("replaced", [1, 2, 3])
def test_a_kill_while_a_change_is_taken_back_leaves_the_same_guarantees(
    fork: Worker, config: Config, replaced: int
) -> None:
    for number in range(replaced, MANY, STEP):
        config.become(State.OLD)
        code = fork(do="write", folder=str(config.root), files=config.order(), die=number, fail=replaced)
        states = config.check_and_tidy()
        if code != KILLED:
            break
    assert code == 2
    assert states == [State.OLD] * 3


def test_a_kill_during_undo_can_be_undone_again(fork: Worker, config: Config) -> None:
    mixed = 0
    for first in range(20, MANY, STEP):
        for number in range(1, MANY, STEP):
            config.become(State.OLD)
            if fork(do="write", folder=str(config.root), files=config.order(), die=first) == 0:
                assert mixed
                return
            if len(set(config.states())) == 1:
                undo(str(config.root))
                break
            mixed += 1
            code = fork(do="undo", folder=str(config.root), files=[], die=number)
            states = config.check_and_tidy()
            if code == 0:
                assert states == [State.OLD] * 3
                break
    pytest.fail("no change came to its end")


def test_a_kill_at_any_time_leaves_files_whole(fork: Worker, config: Config) -> None:
    seen = set()
    for seed in range(RANDOM_KILLS):
        config.become(State.OLD)
        code = fork(do="for ever", folder=str(config.root), files=config.order(), after_s=seed, longest_s=0.05)
        assert code == KILLED
        states = config.states()
        told = interrupted(str(config.root))
        if told is None:
            assert len(set(states)) == 1
        else:
            # The process changes them to and fro: what was old for it may be what is new here.
            there, back = [file.state for file in told.files], {State.OLD: State.NEW, State.NEW: State.OLD}
            assert states in (there, [back[state] for state in there])
            assert told.is_mixed == (len(set(states)) == 2)
        seen.add((told is None, len(set(states))))
        undo(str(config.root))
        assert len(set(config.states())) == 1
        assert config.listed() == config.names
    assert (True, 2) not in seen
    assert len(seen) > 1
