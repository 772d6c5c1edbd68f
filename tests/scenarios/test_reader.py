"""Reading scenarios: what they offer, and what is said about one that cannot be used."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from kubectl_berth.errors import UsageError
from kubectl_berth.scenarios import reader

HEADER = "apiVersion: berth.dev/v1\nkind: Scenario\n"
SNAPSHOT = 'apiVersion: berth.dev/v1\nkind: Snapshot\nserverVersion: v1.31.4\ntime: "{}"\n'
LEASE = """apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: n1, namespace: kube-node-lease, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {holderIdentity: n1, renewTime: "2026-10-05T08:59:55.123456Z"}
"""


def write(directory: Path, **files: str) -> Path:
    """A directory with these files; __ in a name stands for /, and _yaml for .yaml."""
    for name, text in files.items():
        path = directory / (name.replace("__", "/").removesuffix("_yaml") + ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return directory


def scenario(tmp_path: Path, text: str, **files: str) -> str:
    cluster = SNAPSHOT.format("2026-10-05T09:30:00Z")
    return str(write(tmp_path / "own", scenario_yaml=HEADER + text, cluster__snapshot_yaml=cluster, **files))


def test_the_shipped_ones_are_listed() -> None:
    assert {"crd-operator-discovery", "healthy-control", "secret-denied"} <= set(reader.names())
    assert reader.names() == sorted(reader.names())
    assert not any(name.startswith("_") for name in reader.names())


@pytest.mark.parametrize("name", reader.names())
def test_each_has_a_question_a_budget_and_a_base(name: str) -> None:
    loaded = reader.load(name)
    assert loaded.name == name and loaded.title and loaded.category
    assert len(loaded.question) > 10
    assert loaded.budget and 3 <= loaded.budget <= 8
    assert [layer.name for layer in loaded.layers] == ["_base", "cluster"]


@pytest.mark.parametrize("name", ["crd-operator-discovery", "large-cluster-truncation"])
def test_a_scenario_opens_in_a_moment(name: str) -> None:
    reader.load(name).open()
    best = min(_seconds(name) for _ in range(3))
    # 0.03 s on an idle machine; the room is for busy ones, and for caches that others fill
    assert best < 2.0, f"{best:.3f} s"


def _seconds(name: str) -> float:
    start = time.process_time()
    reader.load(name).open()
    return time.process_time() - start


def test_a_scenario_opens_as_its_own_cluster() -> None:
    name = reader.load("crd-operator-discovery").open().name()
    assert (name.source, name.name, name.version) == ("scenario", "crd-operator-discovery", "v1.31.4")
    twin = reader.load("crd-operator-discovery", twin=True, version="v1.36.2").open().name()
    assert (twin.name, twin.version) == ("crd-operator-discovery (twin)", "v1.36.2")


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(
        UsageError, match=r'there is no scenario "crashloop-mising": did you mean crashloop-missing-config'
    ):
        reader.load("crashloop-mising")
    with pytest.raises(UsageError, match=r'there is no scenario "zzz": there are .*, healthy-control, '):
        reader.load("zzz")


def test_a_path_that_holds_none() -> None:
    with pytest.raises(UsageError, match=r"there is no directory nowhere"):
        reader.load("./nowhere")


def test_a_directory_without_a_scenario(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no scenario\.yaml"):
        reader.load(str(tmp_path))


def test_the_shared_base_is_no_scenario() -> None:
    with pytest.raises(UsageError, match='there is no scenario "_base"'):
        reader.load("_base")


def test_a_scenario_of_ones_own(tmp_path: Path) -> None:
    text = "question: |\n  Why?\nnamespace: shop\nsettings: {maxIterations: 3}\ntoolCalls: 4\nchecks: {a: [b]}\n"
    loaded = reader.load(scenario(tmp_path, text))
    assert (loaded.name, loaded.question, loaded.namespace, loaded.budget) == ("own", "Why?", "shop", 4)
    assert loaded.settings == {"maxIterations": 3} and loaded.checks == {"a": ["b"]} and loaded.turns == ()
    assert loaded.open().name().namespace == "shop"


def test_the_last_turn_is_the_question(tmp_path: Path) -> None:
    text = (
        "turns:\n- {role: user, content: Why?}\n- {role: assistant, content: Memory.}\n"
        "- {role: user, content: How much?}\n"
    )
    loaded = reader.load(scenario(tmp_path, text))
    assert loaded.question == "How much?"
    assert loaded.turns == (reader.Turn("user", "Why?"), reader.Turn("assistant", "Memory."))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("title: a\n", r"scenario\.yaml, line 1: has no question"),
        (
            "title: a\nturns:\n- {role: assistant, content: x}\n",
            r", line 4: has no question, and no turns that end in one",
        ),
        ("turns: [{role: system, content: x}]\n", r", line 3: wants turns with a role"),
        ("title: a\nqestion: b\n", r", line 4: does not know the field qestion, did you mean question\?"),
        ("question: a\ntoolCalls: many\n", r", line 4: wants a whole number for toolCalls, not str"),
        ("question: a\nsettings: []\n", r", line 4: wants a mapping for settings, not list"),
        ("question: a\nbase: _nowhere\n", r', line 4: names the base "_nowhere"'),
        ("question: [a\ntitle: b\n", r", line 4: is not YAML: "),
    ],
)
def test_a_broken_scenario_file_is_named_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        reader.load(scenario(tmp_path, text))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- a\n", r", line 1: is not a mapping"),
        ("", r", line 1: is not a mapping"),
        ("apiVersion: berth.dev/v1\nkind: Snapshot\n", r", line 2: has the kind 'Snapshot', not Scenario"),
        ("kind: Scenario\n", r", line 1: has the apiVersion None, not berth\.dev/v1"),
    ],
)
def test_a_file_that_is_something_else(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError, match=r"scenario\.yaml" + words):
        reader.load(str(write(tmp_path, scenario_yaml=text)))


def test_a_scenario_without_a_cluster(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no cluster/ directory"):
        reader.load(str(write(tmp_path, scenario_yaml=HEADER + "question: a\n")))


def test_a_twin_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="scenario healthy-control has no twin: ask it without --twin"):
        reader.load("healthy-control", twin=True)


def test_a_version_that_is_none() -> None:
    with pytest.raises(UsageError, match="is not a Kubernetes version"):
        reader.load("healthy-control", version="latest")


def test_a_broken_object_file_is_named_with_its_line(tmp_path: Path) -> None:
    broken = scenario(tmp_path, "question: a\n", cluster__objects__pods_yaml="kind: Pod\n---\nkind: [Pod\n")
    with pytest.raises(UsageError, match=r"pods\.yaml"):
        reader.load(broken).open()


def test_only_the_heartbeat_of_a_base_moves_to_the_scenarios_moment(tmp_path: Path) -> None:
    write(tmp_path / "_own", snapshot_yaml=SNAPSHOT.format("2026-10-05T09:00:00Z"), objects__lease_yaml=LEASE)
    path = scenario(tmp_path, "question: a\nbase: _own\n", cluster__objects__lease_yaml=LEASE.replace("n1", "n2"))
    cluster = reader.load(path).open()
    kind = next(kind for kind in cluster.kinds().kinds if kind.kind == "Lease")
    leases = {lease["metadata"]["name"]: lease for lease in cluster.list(kind)}
    assert leases["n1"]["spec"]["renewTime"] == "2026-10-05T09:29:55.123456Z"
    assert leases["n1"]["metadata"]["creationTimestamp"] == "2026-01-01T00:00:00Z"
    assert leases["n2"]["spec"]["renewTime"] == "2026-10-05T08:59:55.123456Z"


def test_a_twin_lies_over_the_cluster_and_takes_away(tmp_path: Path) -> None:
    removed = (
        "apiVersion: berth.dev/v1\nkind: Snapshot\nremoved: [{kind: Lease, namespace: kube-node-lease, name: n1}]\n"
    )
    path = scenario(
        tmp_path,
        "question: a\n",
        cluster__objects__lease_yaml=LEASE,
        twin__snapshot_yaml=removed,
        twin__objects__lease_yaml=LEASE.replace("n1", "n2"),
    )
    found = []
    for twin in (False, True):
        cluster = reader.load(path, twin=twin).open()
        kind = next(kind for kind in cluster.kinds().kinds if kind.kind == "Lease")
        found.append([lease["metadata"]["name"] for lease in cluster.list(kind)])
    assert found == [["n1"], ["n2"]]
