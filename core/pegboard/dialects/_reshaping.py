"""Written nodes in the shapes that some providers want."""

from __future__ import annotations

from pegboard.dialects._place import LIMITS_OF, Json


def matters(keyword: str, types: list[str]) -> bool:
    """Tell whether a keyword limits values of any of the types."""
    limited = LIMITS_OF.get(keyword)
    return not types or limited in types or (limited == "number" and "integer" in types)


def nullable(node: Json) -> Json:
    """Return a written node that admits null as well."""
    types = node.get("type")
    if isinstance(types, str):
        types = [types]
    if types and "null" not in types and "const" not in node:
        node = {**node, "type": [*types, "null"]}
        if "enum" in node and None not in node["enum"]:
            node["enum"] = [*node["enum"], None]
        return node
    if "anyOf" in node and not types:
        arms = node["anyOf"]
        known = any("null" in (arm.get("type") or ()) for arm in arms)
        return node if known else {**node, "anyOf": [*arms, {"type": "null"}]}
    if types:
        return node if "null" in types else _either_null(node)
    return _either_null(node)


def _either_null(node: Json) -> Json:
    outer = {key: node[key] for key in ("description",) if key in node}
    inner = {key: item for key, item in node.items() if key not in outer}
    return {**outer, "anyOf": [inner, {"type": "null"}]}


def to_one_type(node: Json) -> Json:
    """Return a written node with one type; several become alternatives."""
    types = node.get("type")
    if not isinstance(types, list):
        return node
    if "enum" in node:
        return {key: item for key, item in node.items() if key != "type"}
    made: Json = {key: node[key] for key in ("title", "description") if key in node}
    made["anyOf"] = [_arm(node, name) for name in types]
    return made


def to_openapi(node: Json) -> Json:
    """Return a written node with one type and `nullable`, and arms without null."""
    types = node.get("type")
    if isinstance(types, list):
        rest = [name for name in types if name != "null"]
        nullable = len(rest) < len(types)
        if len(rest) == 1:
            return {**node, "type": rest[0], "nullable": True}
        made = to_one_type({**node, "type": rest})
        return {**made, "nullable": True} if nullable else made
    arms = node.get("anyOf")
    if not arms:
        return node
    rest = [arm for arm in arms if arm.get("type") != "null"]
    if len(rest) == len(arms) or not rest:
        return node
    outer = {key: item for key, item in node.items() if key != "anyOf"}
    made = {**rest[0], **outer} if len(rest) == 1 else {**outer, "anyOf": rest}
    return {**made, "nullable": True}


def _arm(node: Json, name: str) -> Json:
    """Return the part of a node that speaks of one type."""
    kept = [key for key in node if key in LIMITS_OF and matters(key, [name])]
    arm: Json = {"type": name, **{key: node[key] for key in kept}}
    return arm
