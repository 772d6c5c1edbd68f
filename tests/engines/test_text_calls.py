"""Tool calls that a small model writes as text, and text that only looks like one."""

from __future__ import annotations

import pytest

from kubectl_berth.engines.text_calls import begins_a_call, calls_in, holds_a_call

ARGUMENTS = '{"namespace": "data", "tailLines": "20"}'
EXPECTED = [("list_pods", {"namespace": "data", "tailLines": "20"})]


def read(text):
    return [(call.name, call.arguments) for call in calls_in(text)]


@pytest.mark.parametrize(
    "text",
    [
        f'{{"name": "list_pods", "arguments": {ARGUMENTS}}}',
        f'{{"name": "list_pods", "parameters": {ARGUMENTS}}}',
        f'{{"tool": "list_pods", "args": {ARGUMENTS}}}',
        f'{{"type": "function", "function": {{"name": "list_pods", "arguments": {ARGUMENTS}}}}}',
        '{"name": "list_pods", "arguments": "{\\"namespace\\": \\"data\\", \\"tailLines\\": \\"20\\"}"}',
        f'```json\n{{"name": "list_pods", "arguments": {ARGUMENTS}}}\n```',
        f'```\n<tool_call>{{"name": "list_pods", "arguments": {ARGUMENTS}}}</tool_call>\n```',
        f'\n <tool_call>\n{{"name": "list_pods", "arguments": {ARGUMENTS}}}\n</tool_call>\n',
        "<function=list_pods><parameter=namespace>data</parameter>\n<parameter=tailLines>\n20\n</parameter></function>",
        "<tool_call><function=list_pods>\n<parameter=namespace>data</parameter>"
        "<parameter=tailLines>20</parameter>\n</function></tool_call>",
        f'[{{"name": "list_pods", "arguments": {ARGUMENTS}}}]',
        '<function_calls>\n<invoke name="list_pods">\n<parameter name="namespace">data</parameter>\n'
        '<parameter name="tailLines">20</parameter>\n</invoke>\n</function_calls>',
    ],
)
def test_a_message_that_is_one_call_becomes_it(text):
    assert read(text) == EXPECTED


def test_several_calls_keep_their_order():
    lines = '{"name":"get_logs","args":{}}\n{"name":"list_pods","args":{}}'
    assert [name for name, _ in read(lines)] == ["get_logs", "list_pods"]
    tagged = [f'<tool_call>{{"name":"{name}","arguments":{{}}}}</tool_call>' for name in ("get_logs", "list_pods")]
    assert [name for name, _ in read("\n".join(tagged))] == ["get_logs", "list_pods"]
    assert [name for name, _ in read('[{"name":"get_logs","args":{}},{"name":"list_pods","args":{}}]')] == [
        "get_logs",
        "list_pods",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The database is down.",
        'You could call {"name": "list_pods", "arguments": {}} next.',
        'Use this:\n```json\n{"name": "list_pods", "arguments": {}}\n```',
        '{"name": "list_pods", "arguments": {}}\nThat shows the pods.',
        '{"name": "web-0", "arguments": {}}',
        '[{"name": "list_pods", "arguments": {}}, {"name": "web-0", "arguments": {}}]',
        '[{"name": "list_pods", "arguments": {}}, 5]',
        '{"name": "list_pods"}',
        '{"name": "list_pods", "arguments": [1]}',
        '{"name": "list_pods", "arguments": "not json"}',
        '{"replicas": 2, "ready": 1}',
        "[]",
        "{}",
        '{"name": "list_pods", "arguments": {',
        '<tool_call>{"name": "list_pods", "arguments": {}}',
        "<tool_call></tool_call>",
        'To list pods, write <tool_call>{"name": "list_pods", "arguments": {}}</tool_call>',
        "<function=list_pods></function> is how a call is written.",
    ],
)
def test_anything_else_stays_text(text):
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ('<tool_call>{"na', True),
        ("<function=list_p", True),
        ('<function_calls>\n<invoke name="li', True),
        ('<invoke name="li', True),
        ('```json\n{ "name": "li', True),
        ('{"tool": "list', True),
        ("The <tool_call> tag", False),
        ('{"replicas": 2', False),
        ("", False),
    ],
)
def test_a_message_that_was_cut_inside_a_call_is_known_by_its_start(text, begins):
    assert begins_a_call(text) is begins


CALL = '{"name": "get_logs", "arguments": {"name": "web-0"}}'


@pytest.mark.parametrize(
    "text",
    [
        f"web-0 crashes.\n<tool_call>{CALL}</tool_call>",
        f"web-0 crashes. <tool_call>{CALL}</tool_call>",
        f"web-0 crashes.\n<tool_call>{CALL[:20]}",
        f"web-0 crashes.\n{CALL}",
        f"web-0 crashes.\n```json\n{CALL}\n```\nThat will tell.",
        'web-0 crashes.\n<function_calls><invoke name="get_logs"></invoke></function_calls>',
        "web-0 crashes.\n<function=get_logs><parameter=name>web-0</parameter></function>\nWait.",
    ],
)
def test_a_call_beside_prose_is_seen(text):
    assert holds_a_call(text)


@pytest.mark.parametrize(
    "text",
    [
        "web-0 crashes.",
        f"Its log says `<tool_call>{CALL}</tool_call>`, which nobody obeyed.",
        f"Its log ends:\n```\nready\n<tool_call>{CALL}</tool_call>\n```",
        f"Its log ends:\n    <tool_call>{CALL}</tool_call>\nNobody obeyed.",
        'The config is\n{"name": "web-0", "args": {}}',
        "The manifest:\n```yaml\nname: list_pods\n```",
        "[1] is broken\n{not json",
    ],
)
def test_a_call_that_is_quoted_is_not(text):
    assert not holds_a_call(text)
