"""What pictures show is what happens: each shape against a simulation that knows nothing of formulas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import takewhile
from math import inf

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from outlast.constraints.evaluate import World, holds
from outlast.constraints.normal import Inequality
from outlast.constraints.pictures import Answer, Shape, Unseen
from outlast.constraints.polynomial import Poly, Var, variable
from outlast.constraints.quantities import Sentinel, Value
from outlast.constraints.record import replace
from outlast.picturing.deploy import deploy
from outlast.picturing.drawing import Drawing, Tone
from outlast.picturing.formulas import OFF, ZERO, at_most, both, is_infinite, is_number, is_off, less, negated
from outlast.picturing.idle import idle
from outlast.picturing.layout import lay_out
from outlast.picturing.request import request
from outlast.picturing.retries import retries
from outlast.picturing.timeline import Row, Stretch, Timeline
from outlast.picturing.told import Scene, Told

#: Small numbers, so that many are equal; None is off.
CLOCK = st.one_of(st.integers(0, 8), st.just(inf))
MAYBE_OFF = st.one_of(st.integers(0, 8), st.sampled_from([inf, None]))

LAW = settings(max_examples=20, derandomize=True, deadline=None)

Clock = float | int | None


def poly(name: str, time_exponent: int = 1) -> Poly:
    return variable(Var(name, time_exponent))


def value(clock: Clock) -> Value:
    if clock is None:
        return Sentinel.OFF
    return Sentinel.INFINITE if clock == inf else Fraction(clock)


def world(clocks: Mapping[str, Clock]) -> World:
    return World(values={name: value(clock) for name, clock in clocks.items()}, bound=lambda _, __: Fraction(1))


def told(clocks: Mapping[str, Clock], hops: int = 0, answers: tuple[Answer, ...] = ()) -> Told:
    parts = {name: ((f"my-{name}", poly(name)),) for name in clocks if not name.startswith("hop")}
    return Told(parts={**parts, "hops": tuple((f"hop-{n}", poly(f"hop{n}")) for n in range(hops))}, answers=answers)


def drawn(scene: Scene, clocks: Mapping[str, Clock]) -> Timeline:
    drawing = Drawing(
        id="drawn", title=scene.title, shape=Shape.IDLE, time_exponent=1, lanes=scene.lanes, facts=scene.facts, rules=()
    )
    return lay_out(drawing, world(clocks), {})


def row(timeline: Timeline, label: str) -> Row:
    (found,) = [each for each in timeline.rows if each.label == label]
    return found


def at(lane: Row, moment: float) -> Stretch:
    """The only bar at a moment that is no end of one."""
    (found,) = [s for s in lane.stretches if s.start < moment and (s.end is None or moment < s.end)]
    return found


def words(timeline: Timeline) -> list[str]:
    return [fact.words for fact in timeline.facts]


# Conditions.


@LAW
@given(MAYBE_OFF, MAYBE_OFF)
def test_a_condition_or_its_negation_holds_whatever_is_off(left: Clock, right: Clock) -> None:
    at_these = world({"left": left, "right": right})
    a, b = poly("left"), poly("right")
    for condition in (
        less(a, b),
        at_most(a, b),
        is_number(a),
        is_off(a),
        is_infinite(a),
        both(less(ZERO, a), less(ZERO, b)),
    ):
        assert holds(condition, at_these) != holds(negated(condition), at_these)
    is_on = left is not None and right is not None
    assert holds(less(a, b), at_these) == (is_on and left < right)  # type: ignore[operator]  # both are numbers
    assert holds(both(less(ZERO, a), less(ZERO, b)), at_these) == (is_on and left > 0 and right > 0)  # type: ignore[operator]
    assert holds(is_off(OFF), at_these)


# A request.


def retry_goes_well(dead: float, deadline: float) -> bool | None:
    """None: the attempt never ends. A drop at the moment of the deadline is too late."""
    for moment in range(20):
        if moment == deadline:
            return False
        if moment == dead:
            return True
    return None


@LAW
@given(MAYBE_OFF, MAYBE_OFF, MAYBE_OFF)
def test_a_retry_dials_anew_only_if_the_dead_connection_is_dropped_in_time(
    send_ping: Clock, ping: Clock, deadline: Clock
) -> None:
    clocks = {"send_ping": send_ping, "ping": ping, "deadline": deadline}
    dead = inf if send_ping is None or ping is None else send_ping + ping
    goes_well = retry_goes_well(dead, inf if deadline is None else deadline)
    timeline = drawn(request(told(clocks)), clocks)
    tones = {stretch.tone for stretch in row(timeline, "retry").stretches}
    # An attempt without time makes no bar; what is said stays.
    expected = {None: set[Tone](), True: {Tone.GOOD}, False: {Tone.BAD} if deadline else set[Tone]()}[goes_well]
    assert tones == expected
    (fact,) = timeline.facts
    assert fact.tone is (Tone.GOOD if goes_well else Tone.BAD)
    assert ("new connection" in fact.words or "no deadline" in fact.words) == (goes_well is not False)


def test_an_attempt_that_ends_just_when_the_connection_is_dropped_is_told_as_too_late() -> None:
    clocks = {"dead_after": 10, "deadline": 10}
    timeline = drawn(request(told(clocks)), clocks)
    assert words(timeline) == [
        "The attempt gives up just when the connection is dropped, after 10ns: that is too late, "
        "the retry may go down the same dead connection."
    ]
    (retry,) = row(timeline, "retry").stretches
    assert retry.start == 10
    assert retry.end == 20


def test_a_retry_down_the_dead_connection_ends_when_that_is_dropped() -> None:
    clocks = {"dead_after": 13, "deadline": 10}
    (retry,) = row(drawn(request(told(clocks)), clocks), "retry").stretches
    assert retry.end == 13


# An idle connection.


class Connection:
    """An idle connection, moment by moment; where several things happen at once, harm comes first.

    A hop is open, forgotten or closed; what an end sends goes on from hop to hop up to one that has forgotten the connection.
    An end that no RST reaches pings on, nobody knows until when, and so do the hops hear it that it reaches.
    """

    def __init__(self, clocks: Mapping[str, Clock], hops: int, answers: Sequence[Answer] = ()) -> None:
        """Ends and hops are on; pings need not be."""
        self.answers = answers
        self.limits = {name: clocks.get(name, inf) for name in ("client", "server")}
        self.pings = {name: clocks.get(f"{name}_awake") for name in ("client", "server")}
        self.limit_of = [clocks[f"hop{n}"] or 0 for n in range(hops)]
        self.seen = [0] * hops
        self.hops = ["open"] * hops
        self.ends = {"client": "open", "server": "open"}
        self.first: str | None = None
        #: Whether the server closes at the moment at which the first hop forgets.
        self.is_tied = False
        self.is_fin_lost = False
        self.late: list[tuple[str, int]] = []
        #: How many forget as the first does, at the same moment.
        self.firsts = 0

    def pass_moment(self, now: int) -> None:
        others = "forgotten" in self.hops
        for number, limit in enumerate(self.limit_of):
            if self.hops[number] == "open" and now - self.seen[number] >= limit:
                self.is_tied |= not others and now == self.limits["server"]
                self.firsts += not others
                self.hops[number] = "forgotten"
                self.first = self.first or f"hop-{number} forgets"
        for who in ("server", "client"):
            if now == self.limits[who] and self.ends[who] == "pings on":
                self.ends[who] = "dropped or closed"
                self.hops = ["closed or forgotten" if hop == f"hears {who}" else hop for hop in self.hops]
            if now == self.limits[who] and self.ends[who] == "open":
                both_close = who == "server" and self.limits["client"] == now
                self.first = self.first or ("both close" if both_close else f"my-{who} closes")
                self.ends[who] = "closed"
                for number in self.way(who):
                    self.hops[number] = "closed"
                if "forgotten" not in self.hops:
                    self.ends = dict.fromkeys(self.ends, "closed")
                elif who == "server":
                    self.is_fin_lost = True
        for who, every in self.pings.items():
            if now and every is not None and now % every == 0 and self.ends[who] == "open":
                for number in self.way(who):
                    self.seen[number] = now
                if "forgotten" in self.hops:
                    self.late.append((who, now))
                    is_rst = who == "client" and bool(self.answers) and self.answers[self.answering()] is Answer.RST
                    for number in self.way(who):
                        self.hops[number] = "closed by the RST" if is_rst else f"hears {who}"
                    self.ends[who] = "dropped" if is_rst else "pings on"

    def way(self, who: str) -> list[int]:
        """The hops that what is sent reaches."""
        numbers = range(len(self.hops)) if who == "client" else range(len(self.hops) - 1, -1, -1)
        return list(takewhile(lambda number: self.hops[number] == "open", numbers))

    def next_request(self) -> str:
        if self.ends["client"] == "pings on":
            return "may still meet no answer"
        if self.ends["client"] != "open":
            return "opens a new connection"
        meets = "may meet an RST or no answer" if self.is_tied else "meets an RST or no answer"
        return meets if "forgotten" in self.hops else "works on it"

    def answering(self) -> int:
        """The hop that answers a request."""
        return self.hops.index("forgotten")


@st.composite
def paths(draw: st.DrawFn) -> tuple[dict[str, Clock], int]:
    hops = draw(st.integers(0, 3))
    clocks: dict[str, Clock] = {name: draw(CLOCK) for name in ("client", "server") if draw(st.booleans())}
    if not clocks:
        clocks["server"] = draw(CLOCK)
    clocks |= {
        name: draw(st.one_of(st.integers(1, 8), st.sampled_from([inf, None])))
        for name in ("client_awake", "server_awake")
        if draw(st.booleans())
    }
    return clocks | {f"hop{n}": draw(CLOCK) for n in range(hops)}, hops


@LAW
@given(paths())
@example(({"client": 8, "client_awake": 3, "hop0": 3}, 1))
@example(({"client": 5, "server": 5, "hop0": 5}, 1))
@example(({"client": 9, "client_awake": 5, "hop0": 8, "hop1": 3}, 2))
@example(({"server": 6, "server_awake": 7, "hop0": 3, "hop1": 8}, 2))
@example(({"server": 6, "server_awake": 4, "hop0": 3, "hop1": 8}, 2))
def test_an_idle_connection_ends_as_it_does_event_by_event(path: tuple[dict[str, Clock], int]) -> None:
    clocks, hops = path
    timeline = drawn(idle(told(clocks, hops)), clocks)
    connection, lane = Connection(clocks, hops), row(timeline, "next request")
    for now in range(40):
        connection.pass_moment(now)
        assert at(lane, now + 0.5).words == connection.next_request()
        for number, state in enumerate(connection.hops):
            shown = at(row(timeline, f"hop-{number}"), now + 0.5)
            assert (shown.tone is Tone.OPEN) == (state == "open" or "hears" in state), (now, number, shown)
            if state != "open":
                assert shown.words.startswith("open, or closed by an RST" if "hears" in state else state)
        for who, state in connection.ends.items():
            if who in clocks:
                shown = at(row(timeline, f"my-{who}"), now + 0.5)
                told_ = "dropped if it met an RST" if state == "pings on" else state
                assert shown.tone is Tone.OPEN if state == "open" else shown.words.startswith(told_)
    too_late = [w for w in words(timeline) if "too late" in w]
    assert len(too_late) == len(connection.late)
    for told_, (who, now) in zip(too_late, sorted(connection.late), strict=True):
        assert f"Pings of my-{who}" in told_ or f"Pings of my-{who}_awake" in told_
        assert f"after {now}ns" in told_
        assert ("at the same moment" in told_) == (now == min(connection.limit_of))
    others = [w for w in words(timeline) if w not in too_late]
    assert sum("same moment, too" in w for w in others) == max(0, connection.firsts - 1)
    others = [w for w in others if "same moment, too" not in w]
    firsts = [w for w in others if "first" in w or "same moment" in w or "Nothing ever" in w]
    (first,) = firsts
    expected = connection.first or "Nothing ever"
    assert first.startswith(expected) or (expected == "both close" and "at the same moment" in first)
    assert ("my-server closes it at the same moment" in first) == connection.is_tied
    assert any("does not get through" in w for w in words(timeline)) == (
        connection.is_fin_lost and not connection.is_tied
    )


ANSWERS = {Answer.RST: "an RST", Answer.NOTHING: "no answer", Answer.UNKNOWN: "an RST or no answer"}
R, N, U = Answer.RST, Answer.NOTHING, Answer.UNKNOWN


@settings(LAW, max_examples=8)
@given(paths(), st.lists(st.sampled_from(Answer), min_size=3, max_size=3))
@example(({"client": 9, "hop0": 8, "hop1": 3}, 2), [R, N, U])
@example(({"client": 8, "hop0": 8, "hop1": 3}, 2), [R, N, U])
@example(({"client": 9, "hop0": 3, "hop1": 3}, 2), [N, R, U])
@example(({"client": inf, "hop0": inf, "hop1": 3}, 2), [N, R, U])
@example(({"server": 9, "hop0": inf, "hop1": 3}, 2), [N, R, U])
@example(({"server": 9, "hop0": 6, "hop1": 3}, 2), [N, R, U])
@example(({"client": 3, "hop0": 3, "hop1": 3}, 2), [N, R, U])
@example(({"client": 9, "client_awake": 5, "hop0": 5, "hop1": 3}, 2), [N, R, U])
@example(({"client": 9, "hop0": 6, "hop1": 5, "hop2": 4}, 3), [R, R, N])
def test_a_request_meets_what_the_first_hop_on_its_way_answers_that_has_forgotten(
    path: tuple[dict[str, Clock], int], answers: list[Answer]
) -> None:
    clocks, hops = path
    timeline = drawn(idle(told(clocks, hops, tuple(answers[:hops]))), clocks)
    connection, lane = Connection(clocks, hops, answers), row(timeline, "next request")
    met: list[tuple[Answer, str]] = []
    for now in range(40):
        connection.pass_moment(now)
        shown = at(lane, now + 0.5).words
        assert ("still" in shown) == ("still" in connection.next_request())
        if connection.next_request().endswith("answer") and "still" not in shown:
            met.append((answers[connection.answering()], at(lane, now + 0.5).words))
        for number, state in enumerate(connection.hops):
            if state == "forgotten":
                shown = at(row(timeline, f"hop-{number}"), now + 0.5).words
                assert shown == f"forgotten: {ANSWERS[answers[number]].removeprefix('an ')}"
    shown_words = {shown for _, shown in met}
    assert len(shown_words) <= 1
    assert sum("sent just then" in w for w in words(timeline)) <= 1
    alone = {answer for answer, _ in met}
    for shown in shown_words:
        verb = "may meet" if connection.is_tied else "meets"
        assert shown == f"{verb} {ANSWERS[alone.pop() if len(alone) == 1 else U]}"
        lost = [w for w in words(timeline) if w.startswith("A request after a pause") or "sent just then" in w]
        assert all(shown in w for w in lost)
        waits = "No answer means that it waits until its own timeout." in words(timeline)
        pinged = [answers[connection.answering()] for who, _ in connection.late if who == "client"]
        assert waits == (N in pinged or (shown.endswith(" no answer") and not shown.endswith("or no answer")))
    for told_ in (w for w in words(timeline) if "Pings of my-server" in w and "too late" in w):
        assert "meets an RST or no answer" in told_


@pytest.mark.parametrize(
    ("hop0", "hop1", "answers", "meets"),
    [
        (3, 9, [N, R], "no answer"),
        (9, 3, [N, R], "an RST"),
        (5, 3, [N, R], "no answer"),
        (9, 3, [N, U], "an RST or no answer"),
        (9, 3, [U, N], "no answer"),
        (4, 3, [N, N], "no answer"),
    ],
)
def test_a_ping_of_the_client_meets_what_the_first_hop_on_its_way_answers(
    hop0: int, hop1: int, answers: list[Answer], meets: str
) -> None:
    clocks: dict[str, Clock] = {"client": 9, "client_awake": 5, "hop0": hop0, "hop1": hop1}
    found = [w for w in words(drawn(idle(told(clocks, 2, tuple(answers))), clocks)) if "too late" in w]
    then = {
        "an RST": ", and my-client drops the connection.",
        "no answer": ", and my-client drops the connection once it gives up pinging, which is not told here.",
    }
    otherwise = (
        ": with an RST my-client drops the connection at once, else once it gives up pinging, which is not told here."
    )
    lost = f"Pings of my-client come too late: the first, after 5ns, meets {meets}{then.get(meets, otherwise)}"
    assert found == [lost]


def test_an_rst_closes_what_it_passes_and_without_an_answer_pings_go_on() -> None:
    clocks: dict[str, Clock] = {"client": 9, "client_awake": 5, "hop0": 6, "hop1": 3}
    by_rst = drawn(idle(told(clocks, 2, (N, R))), clocks)
    assert at(row(by_rst, "hop-0"), 5.5).words == "closed by the RST"
    unanswered = drawn(idle(told(clocks, 2, (R, N))), clocks)
    assert at(row(unanswered, "hop-0"), 8.5).words == "open while pings come"
    assert at(row(unanswered, "my-client"), 8.5).words == "pings on, no answer"
    request_ = row(unanswered, "next request")
    assert [at(request_, moment).words for moment in (4.5, 8.5, 9.5)] == [
        "meets no answer",
        "may still meet no answer",
        "opens a new connection",
    ]


@settings(LAW, max_examples=25)
@given(st.data())
def test_at_a_tie_sentences_name_the_hop_whose_lane_forgets_and_what_it_answers(data: st.DataObject) -> None:
    hops = data.draw(st.integers(1, 2))
    names = ["client", *data.draw(st.sampled_from([["server"], ["client_awake"], ["server", "server_awake"]]))]
    clocks: dict[str, Clock] = {
        name: data.draw(st.integers(1, 2)) for name in [*names, *(f"hop{n}" for n in range(hops))]
    }
    answers = tuple(data.draw(st.sampled_from([R, N])) for _ in range(hops))
    compared = tuple(
        Inequality(left=poly(name), right=poly(f"hop{n}"), strict=data.draw(st.booleans()), optimistic=False)
        for name in names
        for n in range(hops)
    )
    timeline = drawn(idle(replace(told(clocks, hops, answers), compared=compared)), clocks)
    lanes = [row(timeline, f"hop-{n}") for n in range(hops)]
    forgets = {n: m.at for n, lane in enumerate(lanes) for m in lane.moments if m.words.startswith("forgets")}
    firsts = [n for n in forgets if forgets[n] == min(forgets.values())]
    told_ = [w for w in words(timeline) if w.startswith("hop-")]
    is_silent = any("sent just then" in w or "after a pause" in w for w in words(timeline))
    assert [w.split()[0] for w in told_] == ([f"hop-{n}" for n in firsts] if is_silent else [])
    met = {m.words.removeprefix("sent now, it ") for m in row(timeline, "next request").moments if "FIN" not in m.words}
    assert met <= {f"meets {ANSWERS[answers[firsts[0]]]}" if firsts else ""}
    assert all(next(iter(met)).removeprefix("meets ") in w for w in words(timeline) if met and "sent just then" in w)


def test_a_hop_that_is_off_is_told_so() -> None:
    clocks: dict[str, Clock] = {"client": 5, "hop0": None}
    assert at(row(drawn(idle(told(clocks, 1)), clocks), "hop-0"), 1).words == "off"


def test_what_is_answered_is_not_known_with_hops_that_are_not_drawn() -> None:
    clocks: dict[str, Clock] = {"server": 9, "hop0": 3}
    path = replace(told(clocks, 1, (R,)), unseen=(Unseen(name="nat", why=""),))
    assert "A request after a pause of more than 3ns meets an RST or no answer." in words(drawn(idle(path), clocks))


@LAW
@given(paths(), st.data())
def test_a_request_meets_one_thing_at_any_moment_whatever_is_off(
    path: tuple[dict[str, Clock], int], data: st.DataObject
) -> None:
    clocks, hops = path
    clocks = {name: None if data.draw(st.booleans()) else clock for name, clock in clocks.items()}
    timeline = drawn(idle(told(clocks, hops)), clocks)
    ends: list[Fraction | None] = [Fraction(0)]
    for stretch in row(timeline, "next request").stretches:
        assert stretch.start == ends[-1]
        ends.append(stretch.end)
    assert ends[-1] is None
    is_unknown = any(clock is None for name, clock in clocks.items() if not name.endswith("awake"))
    assert any("cannot be said" in w for w in words(timeline)) == is_unknown


def test_a_fin_that_dies_at_a_hop_is_told_and_the_client_goes_on_meeting_an_rst() -> None:
    clocks = {"client": 900, "hop0": 350, "server": 600, "client_awake": 700, "server_awake": 350}
    timeline = drawn(idle(told(clocks, 1)), {**clocks, "server_awake": None})
    assert words(timeline) == [
        "hop-0 forgets the connection first, after 350ns, and tells nobody.",
        "A request after a pause of more than 350ns meets an RST or no answer; after more than 700ns it may still meet "
        "no answer, until my-client drops the connection, or closes it after 900ns.",
        "The FIN that my-server sends after 600ns does not get through any more.",
        "Pings of my-client come too late: the first, after 700ns, meets an RST or no answer: with an RST my-client "
        "drops the connection at once, else once it gives up pinging, which is not told here.",
    ]
    assert words(drawn(idle(told(clocks, 1)), clocks))[2:] == [
        "Pings of my-client come too late: the first, after 700ns, meets an RST or no answer: with an RST my-client "
        "drops the connection at once, else once it gives up pinging, which is not told here.",
        "Pings of my-server come too late, at the same moment: the first, after 350ns, meets an RST or no answer: with "
        "an RST my-server drops the connection at once, else once it gives up pinging, which is not told here.",
    ]
    (forgets,) = row(timeline, "hop-0").moments
    assert forgets.at == 350
    assert forgets.tone is Tone.BAD


# A deploy.

DEPLOY = ("interval", "threshold", "delay", "drain", "stop", "grace")


@LAW
@given(st.tuples(*(st.integers(0, 5) for _ in DEPLOY)), st.sets(st.sampled_from(("delay", "drain", "stop", "grace"))))
def test_requests_are_lost_while_a_server_in_rotation_does_not_serve(numbers: tuple[int, ...], off: set[str]) -> None:
    clocks: dict[str, Clock] = dict(zip(DEPLOY, numbers, strict=True)) | dict.fromkeys(off)
    timeline = drawn(deploy(told(clocks)), clocks)
    spent = {name: clocks[name] or 0 for name in DEPLOY}
    out = spent["delay"] + spent["interval"] * spent["threshold"]
    served, killed = spent["delay"] + spent["drain"], inf if clocks["grace"] is None else spent["grace"]
    lane = row(timeline, "requests")
    for now in range(60):
        is_lost = now + 0.5 < out and now + 0.5 > min(served, killed)
        assert (at(lane, now + 0.5).tone is Tone.BAD) == is_lost
    bad = {fact.words.split()[1] for fact in timeline.facts if fact.tone is Tone.BAD}
    assert ("needs" in bad) == (killed < served + spent["stop"])
    assert bool(bad - {"needs"}) == (out >= min(served, killed))


@LAW
@given(st.integers(1, 20), st.integers(1, 20))
@example(5, 10)
def test_a_watchdog_that_acts_before_or_just_when_a_drain_ends_is_told(failures: int, longest: int) -> None:
    clocks = {"watchdog_interval": 2, "watchdog_failures": failures, "longest_drain": longest}
    timeline = drawn(deploy(told(clocks)), clocks)
    (fact,) = timeline.facts
    assert (fact.tone is Tone.BAD) == (2 * failures <= longest)
    marks = row(timeline, "watchdog").moments
    # Of very many checks the first stands alone.
    made = range(2, 2 * failures, 2) if failures <= 12 else [2]
    assert [m.at for m in marks] == [*made, 2 * failures]
    assert [bool(m.words) for m in marks] == [n in (0, len(marks) - 1) or failures <= 4 for n in range(len(marks))]


# Retries.


def first_and_last(what: str, moments: Mapping[float, str]) -> tuple[float, float]:
    """When it begins and ends."""
    found = [moment for moment, each in moments.items() if each == what]
    return min(found) - 0.5, max(found) + 0.5


@settings(max_examples=15, derandomize=True, deadline=None)
@given(st.integers(0, 15), st.integers(1, 4), st.integers(0, 3), st.integers(0, 3), st.integers(0, 6), MAYBE_OFF)
@example(9, 4, 1, 2, 6, 8)
@example(3, 4, 1, 2, 6, 7)
def test_attempts_and_waits_follow_each_other_and_are_bad_beyond_the_deadline(
    attempts: int, attempt: int, base: int, factor: int, cap: int, deadline: Clock
) -> None:
    clocks: dict[str, Clock] = {"attempts": attempts, "attempt": attempt, "base": base, "factor": factor, "cap": cap}
    clocks["deadline"] = deadline
    timeline = drawn(retries(told(clocks)), clocks)
    limit, now, begins, moments = inf if deadline is None else deadline, 0, 0, dict[float, str]()
    for number in range(attempts):
        begins += number == 0 or now < limit
        moments |= {tick + 0.5: f"attempt {number + 1}" for tick in range(now, now + attempt)}
        now += attempt
        waited = min(cap, base * factor**number) if number < attempts - 1 else 0
        moments |= {tick + 0.5: "wait" for tick in range(now, now + waited)}
        now += waited
    lane = row(timeline, "attempts")
    for moment, what in moments.items():
        stretch = at(lane, moment)
        shown = (stretch.words or stretch.told).removesuffix(", too late")
        is_later = what.removeprefix("attempt ") in {str(n) for n in range(13, 16)} or "more" in shown
        assert shown == what or (is_later and shown == f"and {attempts - 12} more")
        assert (stretch.tone is Tone.BAD) == (moment > limit)
        starts, ends = first_and_last(what, moments) if what != "wait" else (0, 0)
        is_cut = what != "wait" and starts < limit < ends
        assert is_later or stretch.words.endswith(", too late") == (is_cut and moment > limit)
        if what == "wait":
            assert is_later or bool(stretch.words) == (attempts <= 3)
        elif not is_later:
            assert bool(stretch.words) == (attempts <= 4 or is_cut or what in ("attempt 1", f"attempt {attempts}"))
    assert max((s.end or 0 for s in lane.stretches), default=0) == now
    if attempts and limit < inf:
        assert any(fact.tone is Tone.BAD for fact in timeline.facts) == (now > limit)
        if limit >= 1 and begins < attempts <= 12:
            begin = "begins" if begins == 1 else "begin"
            assert f"Of {attempts} attempts only {begins} {begin} before the deadline." in words(timeline)


def test_waits_that_do_not_grow_come_after_all_attempts() -> None:
    clocks = {"attempts": 2, "attempt": 5, "waits": 3, "deadline": 13}
    timeline = drawn(retries(told(clocks)), clocks)
    stretches = row(timeline, "attempts").stretches
    assert [s.words for s in stretches] == ["attempt 1", "attempt 2", "all waits together"]
    assert [s.end for s in stretches] == [5, 10, 13]
    assert words(timeline) == [
        "2 attempts and the waits between them take at most 13ns; the deadline comes after 13ns.",
        "When each attempt begins is not known: of the waits only what they come to together is.",
    ]
    assert words(drawn(retries(told(clocks)), {**clocks, "deadline": 5}))[-1] == (
        "Of 2 attempts at most 1 begins before the deadline."
    )


@LAW
@given(st.integers(1, 3), st.integers(1, 4), st.integers(0, 2))
def test_an_attempt_that_does_not_begin_is_told_only_where_there_is_no_time(
    attempts: int, attempt: int, deadline: int
) -> None:
    clocks = {"attempts": attempts, "attempt": attempt, "waits": 0, "deadline": deadline}
    found = [w for w in words(drawn(retries(told(clocks)), clocks)) if "not begin" in w or "None of" in w]
    assert len(found) == (deadline == 0)
    assert all(("not begin" in w) == (attempts == 1) for w in found)


def test_what_is_known_of_the_delay_alone_is_when_the_stop_signal_comes() -> None:
    clocks = {"delay": 20, "grace": 30}
    timeline = drawn(deploy(told(clocks)), clocks)
    assert words(timeline) == ["my-delay gets the stop signal after 20ns; SIGKILL would come after 30ns."]
    assert "gone" not in str(timeline)
    assert words(drawn(deploy(told(clocks)), {**clocks, "delay": 40})) == [
        "my-delay gets the stop signal after 40ns only; SIGKILL comes after 30ns: what still runs is killed."
    ]


def test_a_drain_without_an_end_is_told_without_a_number() -> None:
    clocks = {"watchdog_interval": 2, "watchdog_failures": 3, "longest_drain": inf}
    assert words(drawn(deploy(told(clocks)), clocks)) == [
        "The watchdog acts after 6ns of failed checks, in the middle of the longest drain, which has no end: "
        "it restarts what stops on purpose."
    ]
