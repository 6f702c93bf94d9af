"""Every key of a spec for the JSON Schema: what it says, as editors show it, and what its value may look like.

Which keys there are, the loader's own tables say (`outlast.constraints.loading`); here each of them is described once, and tests hold both to each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from outlast.constraints.model import Direction
from outlast.constraints.pictures import PARTS, Answer, Shape
from outlast.constraints.quantities import DURATION_UNITS
from outlast.constraints.record import record

__all__ = ["COMPONENT_KEYS", "ENTRIES", "LINK_KEYS", "SCALAR", "SECTION_KEYS", "TOP_KEYS", "Key", "words"]

#: What schemas are made of: values of JSON.
Schema = Mapping[str, Any]

#: Scalars are texts to the loader, whatever YAML takes them for; null removes what another spec says.
SCALAR: Final[Schema] = {"type": ["string", "number", "boolean", "null"]}
_SCALARS: Final[Schema] = {"anyOf": [SCALAR, {"type": "array", "items": SCALAR}]}
_DAY: Final[Schema] = {"type": ["string", "null"], "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
_YAML_1_1: Final = frozenset(("yes", "no", "on", "off", "true", "false"))


@record
class Key:
    """What editors tell of a key, and the shape of its value."""

    text: str
    shape: Schema = SCALAR
    examples: tuple[str, ...] = ()


def words(known: Sequence[str], meanings: Sequence[str] = ()) -> Schema:
    """One of some words, also where YAML takes them for something else."""
    others = ["string", "object", "array"]
    if _YAML_1_1.isdisjoint(known):
        others.append("boolean")
    if not any(word.replace(".", "").isdigit() for word in known):
        others.append("number")
    listed: dict[str, Any] = {"enum": list(known)}
    if meanings:
        listed["enumDescriptions"] = list(meanings)
    return {"anyOf": [listed, {"not": {"type": others}}]}  # editors offer a type that is named, null above all


_COST: Final[Schema] = {"anyOf": [{"enum": ["never"]}, {"type": ["number", "null"]}, {"type": "string"}]}
_DIRECTION: Final = words(
    [each.value for each in Direction],
    ["greater values, infinite among them", "smaller values", "the setting switched off or gone"],
)

_ORIGIN: Final[Mapping[str, Key]] = {
    "why": Key("The reason. Text with ` #`, `: ` or, between braces, a comma needs quotes."),
    "source": Key("Where the reason can be looked up: an address, a page of a manual, a ticket."),
    "owner": Key("Who decides. `@team` needs quotes."),
    "reviewed": Key("The day on which this was last looked at, such as 2026-11-01.", _DAY),
    "review_by": Key("The day by which this should be looked at again, such as 2027-05-01.", _DAY),
}

_SHAPES: Final = {
    Shape.REQUEST: "an attempt on a dead connection: who notices first",
    Shape.IDLE: "an idle connection: who forgets or closes it first",
    Shape.DEPLOY: "a server that is taken out and stops",
    Shape.RETRIES: "attempts and the waits between them under a limit",
}


def _part(name: str) -> Key:
    """What a part of pictures is, for each shape that has it."""
    told = {shape: parts[name] for shape, parts in PARTS.items() if name in parts}
    text = "; ".join(f"of {shape.value}: {part.means}" for shape, part in told.items())
    return Key(text + ".", _SCALARS if any(part.is_list for part in told.values()) else SCALAR)


_ANSWER: Final = words(
    [each.value for each in Answer],
    ["an RST is sent back", "nothing is sent back: it waits until its own timeout", "one of the two"],
)
_PARTS: Final = {name: _part(name) for parts in PARTS.values() for name in parts}

#: By section, what it holds.
ENTRIES: Final[Mapping[str, str]] = {
    "parameters": "Named quantities: durations, counts, rates and ratios. Each is exactly one of fact, fixed, free and derived.",
    "measurements": "Measured files, whose quantiles rules may use: p99.9(rtt).",
    "rules": "What must hold, by id. An id of the catalogue, such as http/pool-closes-first@client:lb, adjusts the rule that the catalogue makes.",
    "components": "Instances of kinds of software (outlast rules lists them), about which the catalogue then says what must hold.",
    "decline": "Rules of the catalogue that are left out on purpose, each with its reason; without @… all rules of a relation.",
    "pictures": "What rules are drawn as, by id; a rule names its picture. Each has a shape and what the shape is told, as formulas.",
    "ignore": "Findings that are known and accepted, by the id of a rule or relation or the name of a parameter, each with its reason and, if it is for a time only, the day until which.",
}

TOP_KEYS: Final[Mapping[str, Key]] = {
    "outlast": Key("The version of the format: 1.", {"enum": [1, "1"], "default": 1}),
    "title": Key("A name for reports."),
    "extends": Key("The path of another spec, relative to this one's folder; what this file says replaces it key by key, and null removes."),
    "confidence": Key("How likely the bound of a quantile is to hold; 95% unless given.", examples=("95%", "99%")),
    "aim": Key("The headroom that scores 1, for rules that have no aim of their own; 100% unless given.", examples=("100%", "50%")),
    "links": Key("Connections between components, the one that opens them first: client -> lb -> web."),
}  # fmt: skip

SECTION_KEYS: Final[Mapping[str, Mapping[str, Key]]] = {
    "parameters": {
        "fact": Key("True of the world; no repair changes it. A value, or an interval such as 40..400: every rule must hold at each value in it.", examples=("400", "40..400")),
        "fixed": Key("Somebody's decision; a repair may propose to change it, at its cost.", examples=("10s",)),
        "free": Key("To be found: any, a..b, a.., ..b (ends included), or a list of values.", _SCALARS, ("any", "100ms..60s")),
        "derived": Key("Computed from others by an expression, such as drain + 5s.", examples=("drain + 5s",)),
        "step": Key("Granularity: the values are the multiples of it. Without it 1ms, 1, 1/s or 1%.", examples=("1s", "100ms")),
        "current": Key("The value in use. With at, the file says it.", examples=("10s",)),
        "prefer": Key("The value to stay at: high, low or a value; the current one unless given.", examples=("high", "low")),
        "cost": Key("What a way out that changes this value costs: a number greater than 0 (1 unless given), or never.", _COST),
        "unit": Key("What bare numbers of this entry and in its files mean.", examples=(*DURATION_UNITS, "/s", "%")),
        "at": Key("Where the value stands in a file, FILE#SELECTOR, or a list of places that must agree; outlast settings lists selectors.", _SCALARS, ("deploy.yaml#spec.template.spec.terminationGracePeriodSeconds",)),
        "zero": Key("What a 0 means: infinite, off or a value.", examples=("infinite", "off")),
        "unset": Key("What an absent setting means: infinite, off or a value; unknown: nobody can say.", examples=("infinite", "off", "unknown")),
        "negative": Key("What a negative number in a file means, such as -1: infinite, off or a value.", examples=("infinite", "off")),
        "unguarded": Key("The directions in which no rule need notice a slip of this value, accepted by outlast mutate: high, low, off, or a list of them; why is then mandatory.", {"anyOf": [_DIRECTION, {"type": "array", "items": _DIRECTION}]}),
        **_ORIGIN,
    },
    "measurements": {
        "samples": Key("A file with one value a line, or a column of a comma-separated file.", examples=("measured/rtt.csv",)),
        "prometheus": Key("A file with a histogram in Prometheus' text format.", examples=("measured/rtt.prom",)),
        "hdr": Key("An HdrHistogram log.", examples=("measured/rtt.hlog",)),
        "k6": Key("k6's JSON lines.", examples=("measured/k6.json",)),
        "vegeta": Key("vegeta's results as CSV.", examples=("measured/vegeta.csv",)),
        "ghz": Key("ghz's JSON report.", examples=("measured/ghz.json",)),
        "unit": Key("What bare numbers in the file mean.", examples=tuple(DURATION_UNITS)),
        "column": Key("The column of a comma-separated file."),
        "metric": Key("The metric, where the file has several."),
        "labels": Key("Labels that select one series, such as { method: GET }.", {"type": ["object", "null"], "additionalProperties": SCALAR}),
        "tag": Key("The tag of an HdrHistogram log's intervals."),
        "lost": Key("How many samples never came back; they count as infinitely long. 0 unless given."),
        "taken": Key("The day of the measurement, such as 2026-10-20.", _DAY),
        **_ORIGIN,
    },
    "rules": {
        "require": Key("The requirement: a < b, a <= b < c, p99.9(rtt) + 1s < c. Each link of a chain is a rule of its own, id/1, id/2.", examples=("a < b",)),
        "when": Key("The condition under which the rule applies; always unless given.", examples=("x is not off",)),
        "level": Key("How binding the rule is; must unless given.", words(("must", "should"), ("it has to hold", "it is kept if possible, by its weight"))),
        "weight": Key("What giving up a should rule costs: a number greater than 0; 1 unless given."),
        "margin": Key("The headroom demanded, 20%, or the slack, an amount such as 1s.", examples=("20%", "1s")),
        "aim": Key("The headroom or slack that scores 1: more is not asked for. 0% takes the rule out of the scoring.", examples=("50%", "100%", "0%")),
        "needs_on": Key("A parameter, or a list of them, that must not be off here.", _SCALARS),
        "cost": Key("What a way out that weakens the rule costs: a number greater than 0 (10 unless given), or never.", _COST),
        "breaks": Key("What happens in production where the rule is broken."),
        **_ORIGIN,
        "picture": Key("The id of the picture, under pictures, that shows the rule; bars unless given."),
    },
    "decline": _ORIGIN,
    "ignore": {
        "until": Key("The last day on which the finding is ignored, such as 2027-01-31.", _DAY),
        **_ORIGIN,
    },
    "pictures": {
        "shape": Key("What happens in it.", words([each.value for each in Shape], list(_SHAPES.values()))),
        "title": Key("What the picture is called; what its shape is called unless given."),
        **_PARTS,
        "answers": Key("Of idle: what a request meets at a hop that has forgotten; a word for all hops, or a list with one for each. What the hops' kinds say unless given.", {"anyOf": [_ANSWER, {"type": "array", "items": _ANSWER}]}, ("rst",)),
    },
}  # fmt: skip

COMPONENT_KEYS: Final[Mapping[str, Key]] = {
    "kind": Key("What it is: a kind of the catalogue (outlast rules KIND tells what is known of it)."),
    "version": Key("The release of the software, which decides about defaults; the newest unless given.", examples=("'1.33'",)),
    "runs_in": Key("The component that hosts it, or a list of them: a server in its pod.", _SCALARS),
}  # fmt: skip

LINK_KEYS: Final[Mapping[str, Key]] = {
    "chain": Key("Components in the order of the requests: client -> nlb -> lb."),
    "from": Key("The component that opens the connections."),
    "to": Key("The component that accepts them."),
    "via": Key("What passes them on between the two, or a list of it.", _SCALARS),
    "protocol": Key("What is spoken; what needs it is not judged unless it is given."),
    "pooled": Key("Whether connections are kept for further requests; yes unless given."),
    "idempotent": Key("Whether every request may be sent a second time; no unless given."),
}
