"""Timelines of the incidents, made by hand."""

from __future__ import annotations

from fractions import Fraction

from outlast.constraints.pictures import Shape
from outlast.picturing.drawing import Tone
from outlast.picturing.layout import last_place, up_to
from outlast.picturing.timeline import Gap, Moment, Row, Sentence, Stretch, Timeline

SECOND = 10**9


def at(seconds: float | str) -> Fraction:
    return Fraction(str(seconds)) * SECOND


def bar(start: float, end: float | None, words: str, tone: Tone = Tone.WAIT) -> Stretch:
    return Stretch(start=at(start), end=None if end is None else at(end), words=words, tone=tone)


def mark(when: float, words: str, tone: Tone = Tone.PLAIN) -> Moment:
    return Moment(at=at(when), words=words, tone=tone)


def lane(label: str, *events: Stretch | Moment) -> Row:
    return Row(
        label=label,
        stretches=tuple(e for e in events if isinstance(e, Stretch)),
        moments=tuple(e for e in events if isinstance(e, Moment)),
    )


def gap(rule: str, left: float, right: float, *, strict: bool = True) -> Gap:
    is_broken = left > right or (strict and left == right)
    amount = f"{abs(right - left)}s"
    words = f"{amount} too little" if left > right else f"{amount} left"
    return Gap(
        rule=rule,
        start=at(min(left, right)),
        end=at(max(left, right)),
        words="both sides are equal, which is not enough" if is_broken and left == right else words,
        tone=Tone.BAD if is_broken else Tone.GOOD,
        wrong_at=at(right) if is_broken else None,
    )


def timeline(id_: str, title: str, shape: Shape | None, rows: list[Row], gaps: list[Gap], *facts: Sentence) -> Timeline:
    bare = Timeline(
        id=id_,
        title=title,
        shape=shape,
        time_exponent=1,
        until=Fraction(1),
        ticks=(),
        rows=tuple(rows),
        gaps=tuple(gaps),
        facts=facts or (Sentence(words="Nothing else is known.", tone=Tone.PLAIN),),
    )
    return up_to(last_place(bare), bare)


def request(send: int, ping: int, deadline: int) -> Timeline:
    lost, is_late = send + ping, send + ping >= deadline
    return timeline(
        "request@client",
        "A request on a dead connection",
        Shape.REQUEST,
        [
            lane("attempt", bar(0, deadline, "waits for an answer", Tone.OPEN), mark(deadline, "gives up", Tone.PLAIN)),
            lane(
                "health check",
                bar(0, send, "nothing is read"),
                bar(send, lost, "waits for the ACK"),
                mark(send, "sends a PING"),
            ),
            lane(
                "connection",
                bar(0, lost, "dead, in the pool", Tone.GONE),
                mark(lost, "dropped", Tone.BAD if is_late else Tone.GOOD),
            ),
            lane(
                "retry",
                mark(deadline, "goes down the dead connection", Tone.BAD)
                if is_late
                else mark(lost, "dials anew", Tone.GOOD),
            ),
        ],
        [gap("retry-dials-anew", lost, deadline)],
        Sentence(
            words=f"The attempt gives up after {deadline}s; the connection is dropped after {lost}s.", tone=Tone.PLAIN
        ),
        Sentence(
            words=f"retry-dials-anew: {lost}s < {deadline}s, {deadline - lost}s left."
            if not is_late
            else f"retry-dials-anew: {lost}s < {deadline}s, {lost - deadline}s too little.",
            tone=Tone.BAD if is_late else Tone.GOOD,
        ),
    )


def idle(forgets: int, closes: int) -> Timeline:
    return timeline(
        "idle@client:nlb:alb",
        "An idle connection from client to alb",
        Shape.IDLE,
        [
            lane("client", bar(0, None, "keeps it in its pool", Tone.OPEN)),
            lane(
                "nlb",
                bar(0, forgets, "has it in its flow table", Tone.OPEN),
                bar(forgets, None, "gone", Tone.GONE),
                mark(forgets, "forgets it, telling nobody", Tone.BAD if forgets < closes else Tone.PLAIN),
            ),
            lane("alb", bar(0, closes, "open", Tone.OPEN), mark(closes, "sends FIN")),
            lane("next request", mark(forgets, "meets an RST", Tone.BAD)) if forgets < closes else lane("next request"),
        ],
        [gap("tcp/silent-hop-outlasts@client:alb:nlb", closes, forgets)],
    )


def deploy(drain: int, detection: int) -> Timeline:
    return timeline(
        "deploy@web",
        "A rolling deploy of web",
        Shape.DEPLOY,
        [
            lane(
                "web",
                bar(0, drain, "drains, serving", Tone.OPEN),
                bar(drain, drain + 3, "stops"),
                mark(drain, "listens no longer"),
            ),
            lane(
                "load balancer",
                *(mark(n, f"check {n // 5} fails") for n in range(5, detection + 1, 5)),
                mark(detection, "out of rotation"),
            ),
            lane("requests", bar(drain, detection, "502", Tone.BAD) if drain < detection else mark(detection, "none")),
            lane("grace period", bar(0, 30, "until it is killed"), mark(30, "killed")),
        ],
        [gap("drain-outlasts-checks", detection, drain), gap("stops-in-time", drain + 3, 30, strict=False)],
    )


def retries(attempts: int, attempt: int, wait: str, deadline: int) -> Timeline:
    bars, start = [], Fraction(0)
    for n in range(1, attempts + 1):
        bars.append(Stretch(start=start, end=start + at(attempt), words=f"attempt {n}", tone=Tone.WAIT))
        start += at(attempt)
        if n < attempts:
            bars.append(Stretch(start=start, end=start + at(wait), words=f"wait {n}", tone=Tone.GONE))
            start += at(wait)
    return timeline(
        "retries@client",
        "Attempts and the waits between them",
        Shape.RETRIES,
        [
            lane("attempts", *bars),
            lane("limit", bar(0, deadline, "all together", Tone.OPEN), mark(deadline, "gives up")),
        ],
        [gap("attempts-fit", float(start / SECOND), deadline)],
    )
