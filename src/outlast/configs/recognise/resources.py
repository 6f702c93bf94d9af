"""Which resources of Terraform and CloudFormation name each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from outlast.configs.setting import Index, Key, Literal, Opaque, Setting
from outlast.constraints.files import place_of_byte
from outlast.constraints.record import record

__all__ = ["Reference", "references_of_template", "references_of_terraform"]


@record(kw_only=True, eq=False)
class Reference:
    """One resource that names another one; both by their addresses in Terraform: `aws_lb.main`."""

    file: str
    line: int
    source: str
    #: The attribute in which it stands: `event_source_arn`.
    key: str
    target: str


_RESOURCE: Final = re.compile(r"\b(?:aws|google|azurerm)_\w+\.[A-Za-z_][\w-]*")
#: Calls that come back at once: no answer is waited for.
_UNAWAITED: Final = "X-Amz-Invocation-Type"


def references_of_terraform(settings: Sequence[Setting], data: bytes, file: str) -> Iterator[Reference]:
    """The resources that each resource names, as far as no condition decides which."""
    unawaited = {s.scope for s in settings if any(_UNAWAITED in (step.name or "") for step in s.route)}
    for setting in settings:
        if not isinstance(setting.content, Opaque) or not setting.scope or "?" in setting.raw:
            continue
        source = setting.scope[0][0].removeprefix("resource.")
        key = setting.route[-1].name or ""
        if key == "uri" and setting.scope in unawaited:
            continue
        line = place_of_byte(data, setting.start, file).line
        for match in _RESOURCE.finditer(setting.raw):
            yield Reference(file=file, line=line, source=source, key=key, target=match[0])


#: By type in CloudFormation the one in Terraform.
_TYPES: Final = {
    "AWS::ECS::Service": "aws_ecs_service",
    "AWS::ECS::TaskDefinition": "aws_ecs_task_definition",
    "AWS::ElasticLoadBalancingV2::Listener": "aws_lb_listener",
    "AWS::ElasticLoadBalancingV2::ListenerRule": "aws_lb_listener_rule",
    "AWS::ElasticLoadBalancingV2::LoadBalancer": "aws_lb",
    "AWS::ElasticLoadBalancingV2::TargetGroup": "aws_lb_target_group",
    "AWS::Lambda::EventSourceMapping": "aws_lambda_event_source_mapping",
    "AWS::Lambda::Function": "aws_lambda_function",
    "AWS::SQS::Queue": "aws_sqs_queue",
    "AWS::Serverless::Function": "aws_lambda_function",
}
_FUNCTIONS: Final = frozenset(("Ref", "Fn::GetAtt", "Fn::Sub"))
_IN_TEXT: Final = re.compile(r"\$\{(\w+)(?:\.\w+)?\}")
_TAGGED: Final = re.compile(r".* tag !?(Ref|GetAtt|Sub)")


def references_of_template(
    settings: Sequence[Setting], data: bytes, file: str
) -> tuple[Mapping[str, str], tuple[Reference, ...]]:
    """The addresses of the resources of a template by their logical names, and which of them name each other."""
    if b"AWS::" not in data:
        return {}, ()
    addresses: dict[str, str] = {}
    inside: list[Setting] = []
    for setting in settings:
        route = setting.route
        if len(route) < 3 or route[0].name != "Resources" or route[1].name is None:
            continue
        if len(route) == 3 and route[2].name == "Type":
            known = _TYPES.get(setting.content.text) if isinstance(setting.content, Literal) else None
            if known is not None:
                addresses[route[1].name] = f"{known}.{route[1].name}"
        elif len(route) > 3 and route[2].name == "Properties":
            inside.append(setting)
    found: list[Reference] = []
    for setting in inside:
        source = addresses.get(setting.route[1].name or "")
        if source is None:
            continue
        for name in _logical_names(setting):
            target = addresses.get(name)
            if target is not None:
                keys = [s.name for s in setting.route if isinstance(s, Key) and s.name not in _FUNCTIONS]
                line = place_of_byte(data, setting.start, file).line
                found.append(Reference(file=file, line=line, source=source, key=keys[-1], target=target))
    return addresses, tuple(found)


def _logical_names(setting: Setting) -> Iterator[str]:
    """The logical names that a value refers to; none of those between which a condition decides."""
    route, content = setting.route, setting.content
    if any(step.name == "Fn::If" for step in route):
        return
    last, before = route[-1], route[-2]
    if isinstance(last, Index):
        # The list behind a GetAtt; all else that ends so is a list of references, or a condition.
        if last.position == 0 and isinstance(content, Literal):
            yield content.text
        return
    if isinstance(content, Opaque):
        match = _TAGGED.fullmatch(content.reason)
        if match is None:
            return
        text, function = setting.raw.strip("\"'"), match[1]
    elif isinstance(content, Literal) and last.name in _FUNCTIONS and isinstance(before, Key):
        text, function = content.text, (last.name or "").removeprefix("Fn::")
    else:
        return
    if function == "Sub":
        yield from (match[1] for match in _IN_TEXT.finditer(text))
    else:
        yield text.partition(".")[0] if function == "GetAtt" else text
