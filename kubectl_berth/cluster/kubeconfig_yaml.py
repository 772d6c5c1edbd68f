"""YAML as kubectl's own parser (go-yaml 2, an odd mixture of YAML 1.1 and 1.2) reads it, where PyYAML does not."""

from __future__ import annotations

import re
from typing import Any, ClassVar

import yaml

_NULL, _BOOL, _INT, _FLOAT = (f"tag:yaml.org,2002:{kind}" for kind in ("null", "bool", "int", "float"))
_MERGE = "tag:yaml.org,2002:merge"
_TRUE = ("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON")
_FALSE = ("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF")
_DIGITS = "0123456789"
_PLAIN = {
    _NULL: (re.compile(r"~|null|Null|NULL|"), ["~", "n", "N", ""]),
    _BOOL: (re.compile("|".join((*_TRUE, *_FALSE))), list("yYnNtTfFoO")),
    _INT: (re.compile(r"[-+]?(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO]?[0-7_]+|[1-9][0-9_]*|0)"), list("-+" + _DIGITS)),
    _FLOAT: (
        re.compile(
            r"[-+]?(?:\.[0-9_]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
        ),
        list("-+." + _DIGITS),
    ),
    _MERGE: (re.compile("<<"), ["<"]),
}
"""What a plain scalar is taken for, by the first tag whose expression it matches whole, and how such scalars begin."""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Dates and 12:30 are text, y and n are not; in a list of merges the first one wins; unknown tags do not count."""

    yaml_implicit_resolvers: ClassVar[dict[str, list[tuple[str, re.Pattern[str]]]]] = {}

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Puts what `<<` names in front of the mapping's own keys, each key once."""
        merged: dict[Any, tuple[yaml.Node, yaml.Node]] = {}
        own = []
        for key, value in node.value:
            if key.tag != _MERGE:
                own.append((key, value))
                continue
            sources = value.value if isinstance(value, yaml.SequenceNode) else [value]
            for source in reversed(sources):
                if not isinstance(source, yaml.MappingNode):
                    raise yaml.constructor.ConstructorError(None, None, "map merge requires a map", value.start_mark)
                self.flatten_mapping(source)
                merged |= {(pair[0].tag, str(pair[0].value)): pair for pair in source.value}
        node.value = [*merged.values(), *own]

    def construct_bool(self, node: yaml.ScalarNode) -> bool:
        return node.value in _TRUE

    def construct_int(self, node: yaml.ScalarNode) -> int:
        digits = node.value.replace("_", "").lower()
        octal = re.fullmatch(r"[-+]?0[0-7]+", digits)
        return int(digits, 8 if octal else 0)

    def construct_any(self, node: yaml.Node) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return node.value
        if isinstance(node, yaml.SequenceNode):
            return self.construct_sequence(node, deep=True)
        return self.construct_mapping(node, deep=True)


for _tag, (_expression, _beginnings) in _PLAIN.items():
    # the resolver only asks where a match begins
    _Loader.add_implicit_resolver(_tag, re.compile(f"(?:{_expression.pattern})$"), _beginnings)
_Loader.add_constructor(_BOOL, _Loader.construct_bool)
_Loader.add_constructor(_INT, _Loader.construct_int)
_Loader.add_constructor(_MERGE, _Loader.construct_any)
_Loader.add_constructor(None, _Loader.construct_any)


def read_yaml(text: bytes) -> Any:
    """The first document of a file, None where there is none. Raises yaml.YAMLError, ValueError and RecursionError."""
    loader = _Loader(text)
    try:
        return loader.get_data() if loader.check_data() else None
    finally:
        loader.dispose()
