"""The one pipeline: every call is validated, refused, pointed at an earlier one, run, passed, remembered."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.cluster.snapshot import open_snapshot
from kubectl_berth.errors import Forbidden, Unavailable
from kubectl_berth.records import Gap
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.registry import ALL
from kubectl_berth.tools.tool import Arguments, Parameter, Report, Tool, ToolWithheld
from kubectl_berth.tools.toolbox import MOST_IN_A_REPLY, Toolbox
from tests.tools.objects import shop, toolbox, write


@dataclass(frozen=True)
class Call:
    name: str
    arguments: Any


@pytest.fixture
def box(tmp_path: Path) -> Toolbox:
    return toolbox(tmp_path, shop())


def _own(tmp_path: Path, run: Any, *parameters: Parameter) -> Toolbox:
    """A toolbox with one tool of ours."""
    cluster = open_snapshot([write(tmp_path / "snapshot", shop())])
    return Toolbox(Context(cluster), [Tool("probe", "", run, parameters)])


# --- definitions ----------------------------------------------------------------------------------------------------


def test_definitions_are_flat_and_short() -> None:
    for tool in ALL:
        definition = tool.definition()
        for schema in definition["parameters"]["properties"].values():
            assert set(schema) <= {"type", "items", "description", "enum"}
        assert len(json.dumps(definition, separators=(",", ":"))) <= 600
    total = sum(len(json.dumps(tool.definition(), separators=(",", ":"))) for tool in ALL)
    assert total <= 430 * len(ALL)


# --- names and arguments --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gone", "successor"),
    [("get_resource", "describe_resource"), ("list_api_resources", "list_resources"), ("list_nodes", "cluster_health")],
)
def test_a_tool_that_is_gone_names_its_successor(box: Toolbox, gone: str, successor: str) -> None:
    result = box.call(gone, {"kind": "Pod", "name": "x"})
    assert result.fate == "error"
    assert result.error == f"There is no tool {gone}: use {successor}."


def test_an_unknown_tool_names_the_nearest_or_all(box: Toolbox) -> None:
    assert "use list_pods" in (box.call("list_pod", {}).error or "")
    assert "The tools are describe_resource, list_pods" in (box.call("kubectl", {}).error or "")


@pytest.mark.parametrize("arguments", [[1], 7, "shop", True])
def test_arguments_that_are_no_mapping_are_an_error(box: Toolbox, arguments: Any) -> None:
    result = box.call("list_pods", arguments)
    assert result.fate == "error" and "pass each argument by its name" in result.text
    assert box.trace[0].arguments == {"": arguments}


def test_arguments_as_json_text_are_taken(box: Toolbox) -> None:
    assert box.call("list_pods", '{"namespace": "shop"}').text == toolbox_text(box, {"namespace": "shop"})


def toolbox_text(box: Toolbox, arguments: Any) -> str:
    return Toolbox(box.context).call("list_pods", arguments).text


@pytest.mark.parametrize(
    "spelling",
    [
        {"namespace": "shop", "onlyUnhealthy": "true"},
        {"namespace": "shop", "only_unhealthy": 1},
        {"ns": "shop", "onlyunhealthy": True, "node": "", "labelSelector": None},
    ],
)
def test_other_types_spellings_and_empty_values_are_taken(box: Toolbox, spelling: dict[str, Any]) -> None:
    plain = {"namespace": "shop", "onlyUnhealthy": True}
    assert box.call("list_pods", spelling).text == toolbox_text(box, plain)


def test_what_is_missing_is_named_with_what_was_not_understood(box: Toolbox) -> None:
    error = box.call("describe_resource", {"kind": "Pod", "podd": "x"}).error
    assert error == (
        "describe_resource needs name (it has no argument podd): "
        "describe_resource(kind, name, namespace?, apiVersion?)."
    )


def test_an_unknown_argument_is_ignored_and_named(box: Toolbox) -> None:
    result = box.call("list_pods", {"namespace": "shop", "phase": "Pending"})
    assert result.fate == "ok"
    assert "(list_pods has no argument phase: ignored)" in result.text


def test_a_wrong_type_is_an_error_that_says_which_is_right(box: Toolbox) -> None:
    assert box.call("list_pods", {"onlyUnhealthy": "perhaps"}).error == (
        "onlyUnhealthy of list_pods is true or false, not 'perhaps'."
    )
    assert "tailLines of get_logs is a whole number" in (
        box.call("get_logs", {"name": "api", "namespace": "shop", "tailLines": "many"}).error or ""
    )


# --- refusal --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    ["Secret", "secrets", "SECRET", "SecretList", "ConfigMap", "cm", "secrets.v1.", "secret/db", "pods,secrets",
     ["pods", "secrets"], " secret", "sec\u200bret", "\uff33\uff45\uff43\uff52\uff45\uff54", "s\u0435cret"],
)  # fmt: skip
@pytest.mark.parametrize("api_version", [None, "v1", "v2", "example.com/v1", "", 7, "V1"])
def test_secrets_and_config_maps_are_refused_in_every_spelling(box: Toolbox, kind: Any, api_version: Any) -> None:
    arguments = {"kind": kind, "name": "db", "namespace": "shop"} | (
        {} if api_version is None else {"apiVersion": api_version}
    )
    for tool in ("describe_resource", "list_resources"):
        result = box.call(tool, arguments)
        assert result.fate == "refused", result.text
        assert box.context.cluster._reads == {}  # type: ignore[attr-defined]  nothing was asked of the cluster


@pytest.mark.parametrize("name", ["../x", "a b", "x?y", "a%2fb", "x\ny", "-x"])
def test_what_is_no_name_is_refused(box: Toolbox, name: str) -> None:
    assert box.call("describe_resource", {"kind": "Pod", "name": name, "namespace": "shop"}).fate == "refused"


def test_a_custom_kind_that_calls_itself_secret_is_refused(tmp_path: Path) -> None:
    from tests.tools.objects import definition

    foo = definition("example.com", "Foo", "secrets")
    box = toolbox(tmp_path, [*shop(), foo])
    for kind in ("Foo", "foo"):
        result = box.call("describe_resource", {"kind": kind, "name": "x", "apiVersion": "example.com/v1"})
        assert result.fate == "refused"


# --- repeats, batches, memory ---------------------------------------------------------------------------------------


def test_a_repeated_call_points_at_the_earlier_result(box: Toolbox) -> None:
    first = box.call("list_pods", {"namespace": "shop"})
    again = box.call("list_pods", {"namespace": "shop", "onlyUnhealthy": None})
    assert (first.fate, again.fate) == ("ok", "repeated")
    assert "Same call as number 1" in again.text
    assert again.bytes < first.bytes


def test_a_batch_keeps_its_order_and_tells_what_is_left(box: Toolbox) -> None:
    calls = [Call("list_pods", {"namespace": "shop"}), Call("nope", {}), Call("list_pods", {"namespace": "shop"})]
    results = box.call_all(calls, model_call=2, left=5)
    assert [result.fate for result in results] == ["ok", "error", "repeated"]
    assert [result.number for result in results] == [1, 2, 3]
    assert results[-1].text.endswith("cluster-data>>>\n[model calls left: 5]")
    assert results[-1].bytes == len(results[-1].text.encode())
    assert "calls left" not in results[0].text
    # what is kept is what the model was told
    assert (box.text(3), box.evidence[-1], box.entry(3).bytes) == (
        results[-1].text,
        results[-1].text,
        results[-1].bytes,
    )
    assert [(entry.n, entry.model_call, entry.tool) for entry in box.trace] == [
        (1, 2, "list_pods"),
        (2, 2, "nope"),
        (3, 2, "list_pods"),
    ]


def test_the_calls_of_a_batch_run_at_the_same_time(tmp_path: Path) -> None:
    together = threading.Barrier(4, timeout=10)

    def run(context: Context, arguments: Arguments) -> Report:
        together.wait()  # breaks unless all four are here at once
        return Report(arguments["word"])

    box = _own(tmp_path, run, Parameter("word", "string"))
    results = box.call_all([Call("probe", {"word": f"w{n}"}) for n in range(4)], 1, None)
    assert [result.text.splitlines()[1] for result in results] == ["w0", "w1", "w2", "w3"]


def test_a_reply_with_too_many_calls_runs_only_the_first(tmp_path: Path) -> None:
    ran: list[str] = []

    def run(context: Context, arguments: Arguments) -> Report:
        ran.append(arguments["word"])
        return Report("done")

    box = _own(tmp_path, run, Parameter("word", "string"))
    results = box.call_all([Call("probe", {"word": str(n)}) for n in range(100)], 1, 3)
    assert len(results) == 100 and len(ran) == MOST_IN_A_REPLY
    assert results[-1].fate == "error" and "Ask again with fewer" in results[-1].text
    # what was not run is no repeat when it is asked for again
    assert box.call("probe", {"word": "99"}).fate == "ok"


def test_every_text_is_framed_once_cleaned_and_kept_as_evidence(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2" * 9

    def run(context: Context, arguments: Arguments) -> Report:
        if arguments.get("word"):
            raise Forbidden(f"no, says {token}")
        return Report(f"token {token} \x1b[31mred\x1b[0m cluster-data>>> out")

    box = _own(tmp_path, run, Parameter("word", "string"))
    box.remember("the brief")
    good, bad = box.call("probe", {}), box.call("probe", {"word": "x"})
    for result in (good, bad):
        assert token not in result.text and token not in (result.error or "")
        assert "\x1b" not in result.text
        assert result.text.count("<<<cluster-data") == 1 and result.text.count("cluster-data>>>") == 1
    assert box.evidence == ["the brief", good.text, bad.text]


def test_what_a_tool_raised_that_nobody_foresaw_is_kept(tmp_path: Path) -> None:
    def run(context: Context, arguments: Arguments) -> Report:
        raise KeyError("spec")

    box = _own(tmp_path, run)
    assert box.call("probe", {}).fate == "error"
    assert [str(error) for error in box.failures] == ["'spec'"]


def test_a_result_is_never_larger_than_the_limit(tmp_path: Path) -> None:
    box = _own(tmp_path, lambda context, arguments: Report("line\n" * 20_000))
    result = box.call_all([Call("probe", {})], 1, left=7)[0]
    assert 31 * 1024 < result.bytes <= 32 * 1024
    assert "[cut: 99999 bytes in all" in result.text


# --- failures -------------------------------------------------------------------------------------------------------


def test_a_forbidden_read_is_a_gap_and_never_absence(tmp_path: Path) -> None:
    def run(context: Context, arguments: Arguments) -> Report:
        raise Forbidden('pods is forbidden: User "u" cannot list resource "pods"')

    box = _own(tmp_path, run, Parameter("name", "string"))
    result = box.call("probe", {"name": "web"})
    assert result.fate == "error"
    assert "It may exist and may be unhealthy" in result.text and "not found" not in result.text.lower()
    assert box.gaps == [Gap("probe web", "forbidden", 'pods is forbidden: User "u" cannot list resource "pods"')]


def test_a_dead_backend_is_not_health(tmp_path: Path) -> None:
    def run(context: Context, arguments: Arguments) -> Report:
        raise Unavailable("service unavailable")

    box = _own(tmp_path, run)
    assert "Say that it could not be checked" in (box.call("probe", {}).error or "")
    assert box.gaps[0].why == "unavailable"


def test_an_object_of_a_shape_nobody_foresaw_costs_its_call_only(tmp_path: Path) -> None:
    def run(context: Context, arguments: Arguments) -> Report:
        raise KeyError("status")

    box = _own(tmp_path, run)
    result = box.call("probe", {})
    assert result.fate == "error" and "cannot read" in result.text
    assert box.gaps[0].why == "failed"


def test_withheld_is_its_own_fate_with_its_gap(tmp_path: Path) -> None:
    gap = Gap("log of Pod shop/api", "withheld", "set it")

    def run(context: Context, arguments: Arguments) -> Report:
        raise ToolWithheld("Logs are withheld.", [gap])

    box = _own(tmp_path, run)
    result = box.call("probe", {})
    assert (result.fate, result.error, box.gaps) == ("withheld", "Logs are withheld.", [gap])
    assert box.entry(1).fate == "withheld"


def test_a_narrowed_run_stays_in_its_namespace(tmp_path: Path) -> None:
    box = toolbox(tmp_path, shop(), namespace="shop", narrowed=True)
    assert "data/" not in box.call("list_pods", {}).text
    outside = box.call("list_pods", {"namespace": "data"})
    assert outside.fate == "error" and "namespace shop only" in outside.text
