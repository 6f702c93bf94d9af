"""What AWS refuses, as its own tools know it: aws-cdk-lib when a stack is built, cfn-lint when a template is read."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from oracles.asking import Answers, Oracle, Values, ask_all, cases, executable, fetched, seconds

pytestmark = pytest.mark.oracle_heavy

_CDK = """
const cdk = require('aws-cdk-lib'), elb = require('aws-cdk-lib/aws-elasticloadbalancingv2'), ec2 = require('aws-cdk-lib/aws-ec2');
const sqs = require('aws-cdk-lib/aws-sqs'), s = cdk.Duration.seconds;
const make = {
  'ApplicationTargetGroup': (stack, v) => new elb.ApplicationTargetGroup(stack, 'x', {
    vpc: new ec2.Vpc(stack, 'v'), port: 80, healthCheck: { timeout: s(v.timeout), interval: s(v.interval) } }),
  'NetworkTargetGroup': (stack, v) => new elb.NetworkTargetGroup(stack, 'x', {
    vpc: new ec2.Vpc(stack, 'v'), port: 80, healthCheck: { timeout: s(v.timeout), interval: s(v.interval) } }),
  'Queue': (stack, v) => new sqs.Queue(stack, 'x', { visibilityTimeout: s(v.VisibilityTimeout ?? 30), receiveMessageWaitTime: s(v.ReceiveMessageWaitTimeSeconds ?? 0) }),
};
const accepts = ([kind, values]) => {
  const app = new cdk.App({ outdir: process.env.OUT });
  try { make[kind](new cdk.Stack(app, 's'), values); app.synth(); return true; }
  catch (error) { if (!/must be|[Ii]nterval/.test(error.message)) throw error; return false; }
};
console.log(JSON.stringify(JSON.parse(require('fs').readFileSync(0, 'utf8')).map(accepts)));
"""


def _checks(*rows: tuple[str, str]) -> tuple[Values, ...]:
    return tuple({"timeout": a, "interval": b} for a, b in rows)


APPLICATION = Oracle(
    name="a health check's timeout from the interval on is refused for an ALB",
    kind="ApplicationTargetGroup",
    accepted=_checks(("9s", "10s")),
    refused=_checks(("10s", "10s"), ("11s", "10s")),
)

NETWORK = Oracle(
    name="a health check's timeout beyond the interval is refused for an NLB",
    kind="NetworkTargetGroup",
    accepted=_checks(("9s", "10s"), ("10s", "10s")),
    refused=_checks(("11s", "10s")),
)

QUEUE = Oracle(
    name="a queue hides messages for 12 h and holds a call for 20 s at most",
    kind="Queue",
    accepted=({"VisibilityTimeout": "43200s"}, {"ReceiveMessageWaitTimeSeconds": "20s"}),
    refused=({"VisibilityTimeout": "43201s"}, {"ReceiveMessageWaitTimeSeconds": "21s"}),
)

CDK = (APPLICATION, NETWORK, QUEUE)


@pytest.fixture(scope="module")
def cdk(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    modules = fetched("npm/node_modules")
    if modules is None or not (modules / "aws-cdk-lib").exists():
        pytest.skip("aws-cdk-lib is not at hand")
    env = {"NODE_PATH": str(modules), "OUT": str(tmp_path_factory.mktemp("cdk")), "CDK_DISABLE_CLI_TELEMETRY": "1"}
    return ask_all((executable("node"), "-e", _CDK), CDK, seconds, env=env)


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases(CDK))
def test_the_cdk_draws_the_line_there(cdk: Answers, oracle: Oracle, values: Values, accepted: bool) -> None:
    assert cdk[oracle.name, str(values)] is accepted


_LINT = """
import json, sys
from cfnlint.api import ManualArgs, lint

def accepts(_, v):
    function = {
        "Role": "arn:aws:iam::123456789012:role/oracle", "Runtime": "python3.13", "Handler": "i.h", "Code": {"ZipFile": "x"}, "Timeout": v["Timeout"],
    }
    mapping = {"EventSourceArn": {"Fn::GetAtt": ["Queue", "Arn"]}, "FunctionName": {"Ref": "Function"}}
    template = {"Resources": {
        "Queue": {"Type": "AWS::SQS::Queue", "Properties": {"VisibilityTimeout": v["VisibilityTimeout"]}},
        "Function": {"Type": "AWS::Lambda::Function", "Properties": function},
        "Mapping": {"Type": "AWS::Lambda::EventSourceMapping", "Properties": mapping},
    }}
    found = {match.rule.id for match in lint(json.dumps(template), config=ManualArgs(regions=["us-east-1"]))}
    assert found <= {"E3505", "E3034"}, found
    return not found

print(json.dumps([accepts(*row) for row in json.load(sys.stdin)]))
"""


def _mapping(*rows: tuple[str, str]) -> tuple[Values, ...]:
    return tuple({"VisibilityTimeout": a, "Timeout": b} for a, b in rows)


VISIBILITY = Oracle(
    name="a queue's VisibilityTimeout below its function's Timeout is refused",
    accepted=_mapping(("31s", "30s"), ("30s", "30s"), ("43200s", "900s")),
    refused=_mapping(("29s", "30s"), ("30s", "31s"), ("43201s", "900s")),
)

LINT = (VISIBILITY,)


@pytest.fixture(scope="module")
def lint() -> Answers:
    folder = fetched("cfn-lint")
    if folder is None and importlib.util.find_spec("cfnlint") is None:
        pytest.skip("cfn-lint is not at hand")
    env = {"PYTHONPATH": str(folder or "")}
    return ask_all((sys.executable, "-W", "ignore", "-c", _LINT), LINT, seconds, env=env)


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases(LINT))
def test_cfn_lint_draws_the_line_there(lint: Answers, oracle: Oracle, values: Values, accepted: bool) -> None:
    assert lint[oracle.name, str(values)] is accepted
