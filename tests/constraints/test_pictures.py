"""Pictures of a spec: what its rules are drawn as, which of the catalogue's go together, and every error with its place."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from textwrap import dedent

import pytest

from outlast.constraints.catalogue import relation, relations
from outlast.constraints.errors import InputErrors, OutlastError, Place
from outlast.constraints.loading import instances, load_spec
from outlast.constraints.loading.sketched import Sketched, merged
from outlast.constraints.model import Spec
from outlast.constraints.normal import normalise, polys_of
from outlast.constraints.pictures import Shape, fitting, problems_of
from outlast.constraints.record import replace
from outlast.picturing.shapes import drawing_of

SPEC = """\
outlast: 1
parameters:
  client.idle: { fixed: 50s }
  n.a.idle: { fixed: 350s }
  n.b.idle: { fixed: 400s }
  idle: { fixed: 60s }
  count: { fixed: 3 }
rules:
  first: { require: client.idle < n.a.idle < idle, picture: pause }
  second: { require: client.idle < idle, picture: pause }
pictures:
"""


def load(tmp_path: Path, text: str, name: str = "outlast.yaml") -> Spec:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return load_spec(path)


def pictured(tmp_path: Path, picture: str, name: str = "pause") -> Spec:
    return load(tmp_path, f"{SPEC}  {name}: {{ {picture} }}\n")


def errors(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(InputErrors) as caught:
        load(tmp_path, text)
    told = [e for e in caught.value.exceptions if isinstance(e, OutlastError) and e.place]
    return [f"{e.place.line}:{e.place.col}: {e.message}" for e in told if e.place]


def parts(spec: Spec, id_: str = "pause") -> dict[str, list[tuple[str, str]]]:
    return {name: [(part.label, part.text) for part in told] for name, told in spec.pictures[id_].parts.items()}


def test_a_picture_has_its_parts_in_the_order_of_the_shape_and_the_rules_that_name_it(tmp_path: Path) -> None:
    spec = pictured(tmp_path, "shape: idle, server: idle, title: Lunch, client: client.idle")
    picture = spec.pictures["pause"]
    assert (picture.shape, picture.title, picture.place.line) == (Shape.IDLE, "Lunch", 12)
    assert list(picture.parts) == ["client", "server"]
    assert picture.rules == ("first/1", "first/2", "second")


@pytest.mark.parametrize(
    ("hops", "labels"),
    [
        ("n.a.idle", ["n.a"]),
        ("[n.a.idle, client.idle]", ["n.a", "client"]),
        ("[client.idle, client.idle + 1s]", ["client.idle", "client.idle"]),
        ("n.a.idle + 1s", ["n.a"]),
        ("'min(n.a.idle, n.b.idle)'", ["hops"]),
        ("[idle, 20s]", ["hops 1", "hops 2"]),
    ],
)
def test_a_part_is_called_by_whose_it_is(tmp_path: Path, hops: str, labels: list[str]) -> None:
    spec = pictured(tmp_path, f"shape: idle, hops: {hops}, server: idle")
    assert [label for label, _ in parts(spec)["hops"]] == labels
    assert parts(spec)["server"] == [("server", "idle")]


@pytest.mark.parametrize(
    ("picture", "told"),
    [
        ("shape: idel, client: idle", "12:19: expected request or idle or deploy or retries, found 'idel'; did you mean 'idle'?"),
        ("client: idle", "12:3: expected 'shape' in the picture 'pause', found no such key"),
        ("shape: idle, clint: idle, client: idle, server: idle", "12:25: unknown key 'clint' of a picture; did you mean 'client'?"),
        ("shape: idle, drain: idle, client: idle, server: idle", "12:25: 'drain' is a part of deploy; idle has client, hops, server, client_awake, server_awake, answers"),
        ("shape: idle, client: idel, server: idle", "12:33: unknown parameter 'idel'; did you mean 'idle'?"),
        ("shape: idle, client: idle +, server: idle", "12:39: expected a number after '+', found the end"),
        ("shape: idle, client: count, server: idle", "12:33: expected a duration for 'client', found a number"),
        ("shape: idle, client: idle + count, server: idle", "12:38: '+' adds a number to a duration"),
        ("shape: idle, client: [idle, idle], server: idle", "12:33: expected a formula, such as lb.idle_timeout, found a list"),
        ("shape: retries, answers: rst, attempts: count, attempt: idle, deadline: idle", "12:28: 'answers' is a part of idle; retries has attempts, attempt, waits, base, factor, cap, deadline"),
        ("shape: idle, hops: idle, server: idle, answers: RST", "12:60: expected rst or nothing or unknown, found 'RST'"),
        ("shape: idle, hops: idle, server: idle, answers: [nothing, <b>]", "12:70: expected rst or nothing or unknown, found '<b>'"),
        ("shape: idle, hops: idle, server: idle, answers: { rst: rst }", "12:60: expected rst or nothing or unknown, found a mapping"),
        ("shape: idle, hops: idle, server: idle, answers: [[rst]]", "12:61: expected rst or nothing or unknown, found a list"),
        ("shape: idle, hops: [idle, idle], server: idle, answers: [rst]", "12:68: expected as many answers as hops, 2, found 1"),
        ("shape: idle, hops: idle, server: idle, answers: []", "12:60: expected as many answers as hops, 1, found 0"),
        ("shape: idle, hops: [idle, idle +], server: idle, answers: [rst, rst]", "12:44: expected a number after '+', found the end"),
        ("shape: idle, client: idle, server: idle, answers: rst", "12:53: expected 'hops' beside 'answers', found no such part"),
        ("shape: idle, hops: [], server: idle", "12:31: expected 1 to 50 formulas, found 0"),
        ("shape: idle, server: idle", "12:3: expected at least two of client, hops and server, found server alone in the picture 'pause'"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_picture_is_told_where_it_is(tmp_path: Path, picture: str, told: str) -> None:
    assert errors(tmp_path, f"{SPEC}  pause: {{ {picture} }}\n") == [told]


def test_all_mistakes_of_all_pictures_are_told_at_once(tmp_path: Path) -> None:
    found = errors(
        tmp_path,
        SPEC.replace("picture: pause }", "picture: paus }", 1)
        + "  pause: { shape: idle, client: idel, server: count }\n  two@three: { shape: idle, client: idle, server: idle }\n",
    )
    assert found == [
        "9:61: unknown picture 'paus'; did you mean 'pause'?",
        "12:33: unknown parameter 'idel'; did you mean 'idle'?",
        "12:47: expected a duration for 'server', found a number",
        "13:3: expected the id of a picture without @, found 'two@three'",
    ]


def test_a_picture_that_no_rule_shows_is_a_note_and_not_drawn(tmp_path: Path) -> None:
    spec = pictured(
        tmp_path, "shape: idle, client: idle, server: idle }\n  other: { shape: idle, client: idle, server: n.b.idle"
    )
    assert list(spec.pictures) == ["pause"]
    assert [note.message for note in spec.notes] == [
        "nothing uses the parameter 'count'",
        "no rule shows the picture 'other'",
    ]


def test_a_picture_is_not_called_as_a_rule_that_it_does_not_show(tmp_path: Path) -> None:
    text = SPEC.replace("pause", "second") + "  second: { shape: idle, client: idle, server: idle }\n"
    assert list(load(tmp_path, text).pictures) == ["second"]  # the rule has no bars of its own
    found = errors(tmp_path, text.replace("idle, picture: second }\npictures", "idle }\npictures"))
    assert found == ["12:3: the id 'second' is taken by the rule at 10:3, which this picture does not show"]


def test_what_extends_a_spec_overrides_its_pictures_key_by_key(tmp_path: Path) -> None:
    pictured(tmp_path, "shape: idle, client: client.idle, hops: [n.a.idle, n.b.idle], server: idle")
    over = "outlast: 1\nextends: outlast.yaml\npictures: { pause: { client: null, hops: [n.b.idle], title: Lunch } }\n"
    spec = load(tmp_path, over, "over.yaml")
    assert parts(spec) == {"hops": [("n.b", "n.b.idle")], "server": [("server", "idle")]}
    assert spec.pictures["pause"].title == "Lunch"


def test_answers_that_are_not_as_many_as_hops_of_another_file_are_told_with_the_place_of_those(tmp_path: Path) -> None:
    pictured(tmp_path, "shape: idle, hops: [n.a.idle, n.b.idle], server: idle, answers: [rst, rst]")
    over = "outlast: 1\nextends: outlast.yaml\npictures: { pause: { hops: [n.b.idle] } }\n"
    with pytest.raises(InputErrors) as caught:
        load(tmp_path, over, "over.yaml")
    (error,) = caught.value.exceptions
    hops_at = tmp_path / "over.yaml:3:28"
    assert str(error).endswith(f"expected as many answers as hops, 1, found 2; the hops stand at {hops_at}")


@pytest.mark.parametrize(
    ("shape", "told", "problems"),
    [
        (Shape.REQUEST, "deadline send_ping ping", []),
        (Shape.REQUEST, "deadline dead_after", []),
        (Shape.REQUEST, "deadline", ["expected 'send_ping' and 'ping', or 'dead_after', found neither"]),
        (Shape.REQUEST, "deadline ping", ["expected 'send_ping' beside 'ping', found no such part"]),
        (Shape.REQUEST, "send_ping ping", ["expected 'deadline', found no such part"]),
        (Shape.REQUEST, "deadline send_ping ping dead_after", ["expected 'send_ping' and 'ping', or 'dead_after', found both"]),
        (Shape.IDLE, "client hops", []),
        (Shape.IDLE, "client client_awake", ["expected at least two of client, hops and server, found client alone"]),
        (Shape.DEPLOY, "interval threshold drain", []),
        (Shape.DEPLOY, "detection grace", []),
        (Shape.DEPLOY, "watchdog_interval watchdog_failures longest_drain", []),
        (Shape.DEPLOY, "interval drain", ["expected 'threshold' beside 'interval', found no such part"]),
        (Shape.DEPLOY, "watchdog_failures drain grace", ["expected 'watchdog_interval' beside 'watchdog_failures', found no such part"]),
        (Shape.DEPLOY, "delay stop", ["expected at least two of interval or detection, drain, delay or stop, grace, watchdog_interval and longest_drain, found delay or stop alone"]),
        (Shape.RETRIES, "attempts attempt deadline", []),
        (Shape.RETRIES, "attempts attempt waits deadline", []),
        (Shape.RETRIES, "attempts attempt base cap deadline", ["expected 'factor' beside 'base', found no such part"]),
        (Shape.RETRIES, "attempts deadline", ["expected 'attempt', found no such part"]),
    ],
)  # fmt: skip
def test_a_shape_needs_parts_that_go_together(shape: Shape, told: str, problems: list[str]) -> None:
    assert problems_of(shape, told.split()) == problems


def test_of_several_ways_to_tell_one_thing_the_fullest_that_is_complete_fits() -> None:
    assert fitting(Shape.REQUEST, ["dead_after", "ping", "send_ping", "deadline"]) == ("deadline", "send_ping", "ping")
    assert fitting(Shape.REQUEST, ["dead_after", "ping", "deadline"]) == ("deadline", "dead_after")
    assert fitting(Shape.RETRIES, ["waits", "base", "attempts"]) == ("attempts", "waits")


def test_a_picture_that_divides_by_0_is_an_error(tmp_path: Path) -> None:
    spec = pictured(tmp_path, "shape: idle, client: idle / (count - count), server: idle")
    assert [str(error) for error in normalise(spec)[1]] == [
        f"{spec.path}:12:3: the part 'client' of the picture 'pause' divides by 0"
    ]


# Pictures that the catalogue makes.

SITE = """\
outlast: 1
components:
  client: generic.client
  nat: generic.hop
  nlb: aws.nlb
  lb: generic.load-balancer
  web: { kind: generic.server, runs_in: pod }
  api: { kind: generic.server, runs_in: pod }
  pod: k8s.pod
links:
  - client -> nlb -> nat -> lb
  - lb -> web
  - lb -> api
parameters:
  client.pool_idle: { fixed: 50s }
  client.keep_alive: { fixed: off }
  lb.keep_alive: { fixed: off }
  lb.idle_timeout: { fixed: 60s }
  nat.silent_idle: { fixed: 350s }
  web.drain: { fixed: 30s }
  api.drain: { fixed: 40s }
  lb.check_interval: { fixed: 5s }
  lb.check_failures: { fixed: 2 }
  lb.check_timeout: { fixed: 2s }
  web.shutdown: { fixed: 9s }
"""


def _title(id_: str) -> str:
    found = relation(id_)
    assert found is not None
    return found.title


def test_relations_about_the_same_components_share_a_picture_where_it_is_true(tmp_path: Path) -> None:
    spec = load(tmp_path, SITE)
    assert {id_: picture.rules for id_, picture in spec.pictures.items()} == {
        "deploy@api:lb": ("lb/detection-within-drain@lb:api",),  # two servers do not leave in one picture
        "deploy@lb:web": ("lb/detection-within-drain@lb:web",),
        "deploy@pod:web": ("k8s/prestop-sleep-within-grace@pod", "stop/grace-covers-shutdown@pod:web"),
        "deploy@pod:web/2": ("k8s/probe-grace-covers-shutdown@pod:web",),  # of another grace period
        "idle@client:nlb:nat:lb": (
            "http/pool-closes-first@client:lb",
            "net/silent-hop-outlasts-ends@nat:client:lb",
            "net/silent-hop-outlasts-ends@nlb:client:lb",
        ),
    }  # fmt: skip
    assert spec.pictures["deploy@pod:web"].title is None
    assert spec.pictures["deploy@pod:web/2"].title == f"{_title('k8s/probe-grace-covers-shutdown')}: pod – web"
    assert parts(spec, "idle@client:nlb:nat:lb")["hops"] == [("nlb", "nlb.idle_timeout"), ("nat", "nat.silent_idle")]
    assert parts(spec, "deploy@lb:web") == {"detection": [("lb", "lb.detection")], "drain": [("web", "web.drain")]}


def answers(spec: Spec, id_: str) -> list[str]:
    return [part.answers.value for part in spec.pictures[id_].parts["hops"]]


@pytest.mark.parametrize(
    ("nat", "told"),
    [("", "unknown"), ("answers: rst", "rst"), ("answers: nothing", "nothing"), ("answers: unknown", "unknown")],
)
def test_a_hop_of_the_catalogue_answers_as_its_kind_and_its_options_say(tmp_path: Path, nat: str, told: str) -> None:
    text = SITE.replace("nat: generic.hop", f"nat: {{ kind: generic.hop, {nat} }}")
    assert answers(load(tmp_path, text), "idle@client:nlb:nat:lb") == ["rst", told]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("", ["rst", "nothing", "unknown", "rst", "unknown"]),
        ("answers: nothing", ["nothing"] * 5),
        ("answers: [nothing, rst, rst, unknown, rst]", ["nothing", "rst", "rst", "unknown", "rst"]),
    ],
)
def test_a_hop_of_a_picture_answers_as_that_says_or_else_as_its_kind(
    tmp_path: Path, said: str, told: list[str]
) -> None:
    hops = "[nlb.idle_timeout, nat.silent_idle, nlb.idle_timeout + nat.silent_idle, nlb.idle_timeout / 2, nlb.check_timeout]"
    mine = f"""\
rules: {{ mine: {{ require: client.pool_idle < nlb.idle_timeout, picture: pause }} }}
pictures: {{ pause: {{ shape: idle, client: client.pool_idle, hops: {hops}, {said} }} }}
"""
    text = SITE.replace("nat: generic.hop", "nat: { kind: generic.hop, answers: nothing }")
    assert answers(load(tmp_path, text + mine), "pause") == told


def test_a_balancer_that_resets_idle_connections_is_no_silent_hop(tmp_path: Path) -> None:
    keep_alive = "  client.keep_alive: { fixed: off }\n  server.keep_alive: { fixed: off }\n"
    assert answers(load(tmp_path, ON_THE_WAY + keep_alive), "idle@client:az:server") == ["nothing"]
    resetting = ON_THE_WAY.replace("azure.lb", "azure.lb, tcp_reset: true") + keep_alive
    assert "idle@client:az:server" not in load(tmp_path, resetting).pictures


def test_pictures_do_not_depend_on_the_order_of_the_spec(tmp_path: Path) -> None:
    head, *sections = (
        SITE.replace("links:", "\0links:")
        .replace("parameters:", "\0parameters:")
        .replace("components:", "\0components:")
        .split("\0")
    )
    turned = [
        line
        for section in reversed(sections)
        for line in (section.splitlines()[0], *reversed(section.splitlines()[1:]))
    ]
    one, other = load(tmp_path, SITE), load(tmp_path, "\n".join([head.strip(), *turned]) + "\n")
    assert list(one.pictures) == list(other.pictures)
    for id_, picture in one.pictures.items():
        assert parts(other, id_) == parts(one, id_)
        assert other.pictures[id_].rules == picture.rules


def test_hops_of_different_ways_between_the_same_two_are_not_in_one_picture(tmp_path: Path) -> None:
    text = SITE.replace("client -> nlb -> nat -> lb", "client -> nlb -> lb\n  - client -> nat -> lb")
    idle = [id_ for id_ in load(tmp_path, text).pictures if id_.startswith("idle")]
    assert idle == ["idle@client:nat:lb", "idle@client:nlb:lb"]


def test_a_rule_of_the_catalogue_may_be_shown_by_a_picture_of_the_spec(tmp_path: Path) -> None:
    more = dedent("""\
        rules: { "lb/detection-within-drain": { picture: mine } }
        pictures: { mine: { shape: deploy, detection: lb.detection, drain: web.drain } }
        """)
    spec = load(tmp_path, SITE + more)
    assert spec.pictures["mine"].rules == ("lb/detection-within-drain@lb:api", "lb/detection-within-drain@lb:web")
    assert "deploy@lb:web" not in spec.pictures


def test_a_picture_brings_nothing_into_a_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = load(tmp_path, SITE)
    monkeypatch.setattr(instances, "relations", lambda: tuple(replace(each, picture=None) for each in relations()))
    plain = load(tmp_path, SITE)
    assert drawn.pictures
    assert not plain.pictures
    assert (drawn.parameters, drawn.rules.keys(), drawn.notes) == (plain.parameters, plain.rules.keys(), plain.notes)


def _sketched(rule: str, components: str, server: str, **parts: str) -> Sketched:
    told = {name: (("", formula),) for name, formula in parts.items()}
    place = Place("outlast.yaml", 1, 1)
    names = tuple(components.split())
    return Sketched(
        shape=Shape.DEPLOY,
        rules=(rule,),
        title="",
        components=names,
        parts=told,
        place=place,
        link=None,
        servers=(server,),
    )


def test_two_servers_do_not_leave_in_one_picture_though_no_part_differs(tmp_path: Path) -> None:
    topology = load(tmp_path, SITE).topology
    assert topology is not None
    front = _sketched("a", "lb web", "web", detection="x", drain="y")
    dog = {"watchdog_interval": "i", "watchdog_failures": "n", "longest_drain": "z"}
    for server, count in (("web", 1), ("pod", 1), ("api", 2)):
        found = merged([front, _sketched("b", f"lb {server}", server, **dog)], topology)
        assert len(found) == count, server


def test_pictures_are_put_together_in_the_order_of_their_rules(tmp_path: Path) -> None:
    """The middle one goes with either of the others, which do not go together."""
    topology = load(tmp_path, SITE).topology
    assert topology is not None
    three = [
        _sketched("a", "web", "web", detection="x", drain="y"),
        _sketched("b", "web", "web", detection="x", grace="g"),
        _sketched("c", "web", "web", detection="x", drain="z"),
    ]
    for order in permutations(three):
        assert [each.rules for each in merged(order, topology)] == [("a", "b"), ("c",)]


ON_THE_WAY = """\
outlast: 1
components:
  client: { kind: generic.client }
  az: { kind: azure.lb }
  server: { kind: generic.server }
links: [client -> az -> server]
parameters:
  client.pool_idle: { fixed: 9min }
  server.idle_timeout: { fixed: 10min }
"""


def test_a_hop_whose_rule_is_not_there_is_told_and_nothing_is_promised(tmp_path: Path) -> None:
    def told(text: str) -> tuple[list[tuple[str, str]], set[str], set[str]]:
        spec = load(tmp_path, ON_THE_WAY + text)
        (picture,) = spec.pictures.values()
        drawing = drawing_of(picture, polys_of(spec), spec, normalise(spec)[0])
        tones = {bar.tone.value for lane in drawing.lanes for bar in lane.bars}
        return (
            [(hop.name, hop.why) for hop in picture.unseen],
            tones | {fact.tone.value for fact in drawing.facts},
            {str(fact.words[0]).partition(":")[0] for fact in drawing.facts},
        )

    rule, told_of_az = "net/silent-hop-outlasts-ends@az:client:server", "az is on the way, too, and not in this picture"
    unseen, tones, words = told("")
    assert unseen == [("az", f"{rule} is not judged")]
    assert "good" not in tones
    assert told_of_az in words
    assert "No request meets a connection that is gone" not in words
    keep_alive = "  client.keep_alive: { fixed: off }\n  server.keep_alive: { fixed: off }\n"
    assert told(f"{keep_alive}decline: {{ {rule}: az is gone soon }}\n")[0] == [("az", f"{rule} is declined")]
    unseen, tones, words = told(keep_alive)
    assert unseen == []
    assert "good" in tones
    assert "No request meets a connection that is gone" in words
