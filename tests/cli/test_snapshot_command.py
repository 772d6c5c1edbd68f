"""kubectl berth snapshot create, run as a process against served scenarios: the directory gives the same answers."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubectl_berth.cluster.env_addresses import addresses
from kubectl_berth.cluster.snapshot import open_snapshot
from kubectl_berth.errors import Forbidden, NotTaken
from kubectl_berth.scenarios.reader import load, names
from kubectl_berth.simulator.kubeconfig import write_kubeconfig
from kubectl_berth.simulator.server import serve
from tests.fakes.kube_recorder import Recorder, Reply, recording, status
from tests.process import COMMAND, Ended, berth, start, surroundings

SHIPPED = names()


@contextmanager
def served(cluster: Any, home: Path) -> Iterator[dict[str, str]]:
    """The surroundings of a process whose kubeconfig names the served cluster."""
    server = serve(cluster)
    try:
        write_kubeconfig(home / "kubeconfig", server.url, "here", cluster.name().namespace)
        yield surroundings(home, KUBECONFIG=str(home / "kubeconfig"))
    finally:
        server.close()


def create(env: dict[str, str], directory: Path, *flags: str) -> Ended:
    ended = berth("snapshot", "create", str(directory), *flags, env=env)
    assert (ended.status, ended.out) == (0, f"{directory}\n"), ended.err
    return ended


def checked(env: dict[str, str], *flags: str) -> dict[str, Any]:
    document = json.loads(berth("check", "-o", "json", "--severity", "info", *flags, env=env).out)
    assert document["error"] is None
    return {key: document[key] for key in ("findings", "gaps", "looked_at", "counts")}


@pytest.mark.parametrize("scenario", SHIPPED[:: max(len(SHIPPED) // 8, 1)])
def test_the_same_findings(scenario: str, tmp_path: Path) -> None:
    with served(load(scenario).open(), tmp_path) as env:
        create(env, tmp_path / "moment")
        assert checked(env, "--snapshot", str(tmp_path / "moment")) == checked(env)


def a_cluster(directory: Path, **about: Any) -> Path:
    """A snapshot with two namespaces, secrets in every place where people put them, and logs."""
    token = "ghp" + "_" + "a1B2c3D4e5" * 4
    pods = [_pod("shop", "web-0", 7, token), _pod("shop", "fine-0", 0, token), _pod("bank", "api-0", 3, token)]
    others: list[dict[str, Any]] = [
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "shop"}, "data": {"k": "djEx"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": {"k": "v2"}},
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"}},
    ]
    (directory / "objects").mkdir(parents=True)
    (directory / "objects" / "all.yaml").write_text(yaml.safe_dump_all([*pods, *others]))
    told = {"apiVersion": "berth.dev/v1", "kind": "Snapshot", "serverVersion": "v1.33.4", **about}
    (directory / "snapshot.yaml").write_text(yaml.safe_dump({**told, "time": "2026-10-05T09:30:00Z"}))
    for namespace, name in (("shop", "web-0"), ("shop", "fine-0"), ("bank", "api-0")):
        logs = directory / "logs" / namespace / name
        logs.mkdir(parents=True)
        (logs / "main.log").write_text(f"{name} speaks\nusing token {token}\n\x1b[31mred\n")
        (logs / "main.previous.log").write_text(f"{name} spoke\n")
    return directory


def _pod(namespace: str, name: str, restarts: int, token: str) -> dict[str, Any]:
    status: dict[str, Any] = {
        "name": "main",
        "ready": not restarts,
        "restartCount": restarts,
        "image": "i",
        "imageID": "",
    }
    status["state"] = {"waiting": {"reason": "CrashLoopBackOff"}} if restarts else {"running": {}}
    if restarts:
        status["lastState"] = {"terminated": {"exitCode": 3, "reason": "Error", "message": f"token={token}"}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": f"{namespace}-{name}",
            "managedFields": [{"manager": "kubectl"}],
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": '{"kind":"Pod","x":"' + token + '"}'},
        },
        "spec": {
            "nodeName": "node-1",
            "containers": [
                {"name": "main", "image": "i", "env": [{"name": "MODE", "value": "hidden-mode"}], "args": [token]}
            ],
        },
        "status": {"phase": "Running", "containerStatuses": [status]},
    }


def everything(directory: Path) -> str:
    return "\n".join(path.read_text() for path in sorted(directory.rglob("*")) if path.is_file())


def test_nothing_secret_is_written(tmp_path: Path) -> None:
    with served(open_snapshot([a_cluster(tmp_path / "source")]), tmp_path) as env:
        create(env, tmp_path / "moment", "--logs", "all")
    text = everything(tmp_path / "moment")
    assert "web-0 speaks" in text
    for secret in ("ghp" + "_", "hidden-mode", "djEx", "v2", "managedFields", "\x1b", '"Secret"', '"ConfigMap"'):
        assert secret not in text
    assert (tmp_path / "moment").stat().st_mode & 0o077 == 0
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".moment")] == []


def test_a_value_is_judged_with_the_key_above_it(tmp_path: Path) -> None:
    source = a_cluster(tmp_path / "source")
    word = "djE" + "xY9Zq7Lm2Wk"
    attributes = {"accountKey": word, "share": "reports"}
    pod = _pod("shop", "files-0", 0, "x")
    pod["spec"]["volumes"] = [
        {"name": "files", "csi": {"driver": "file.csi.azure.com", "volumeAttributes": attributes}}
    ]
    (source / "objects" / "files.yaml").write_text(yaml.safe_dump(pod))
    create(surroundings(tmp_path), tmp_path / "moment", "--snapshot", str(source))
    text = everything(tmp_path / "moment")
    assert word not in text
    assert "reports" in text


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("SEARCH_URL", "http://search:9200", "http://search:9200"),
        (
            "DATABASE_URL",
            "postgres://u:hunter2x@db.data:5432/shop?sslmode=off",
            "postgres://db.data:5432 [REDACTED:env]",
        ),
        ("BROKERS", "kafka-0.kafka:9092,kafka-1.kafka:9092", "kafka-0.kafka:9092 kafka-1.kafka:9092 [REDACTED:env]"),
        ("REDIS_HOST", "redis", "redis"),
        ("MODE", "redis", "[REDACTED:env]"),
        ("API_TOKEN", "http://search:9200", "[REDACTED:env]"),
        ("GREETING", "hello world", "[REDACTED:env]"),
        ("EMPTY", "", ""),
    ],
)
def test_of_variables_the_addresses_stay(name: str, value: str, kept: str) -> None:
    assert addresses(name, value) == kept


def test_logs_are_those_of_containers_in_trouble(tmp_path: Path) -> None:
    with served(open_snapshot([a_cluster(tmp_path / "source")]), tmp_path) as env:
        for flags in ((), ("--logs", "all"), ("--logs", "none")):
            create(env, tmp_path / "-".join(("moment", *flags[1:])), *flags)

    def logs(name: str) -> list[str]:
        return sorted(str(path.relative_to(tmp_path / name)) for path in (tmp_path / name).rglob("*.log"))

    trouble = [f"logs/{pod}/main{end}" for pod in ("bank/api-0", "shop/web-0") for end in (".log", ".previous.log")]
    assert logs("moment") == sorted(trouble)
    assert logs("moment-all") == sorted([*trouble, "logs/shop/fine-0/main.log"])
    assert logs("moment-none") == []
    # what was not taken is not an empty log
    env = surroundings(tmp_path)
    asked = ("tool", "get_logs", "kind=Pod", "namespace=shop")
    missing = berth(*asked, "name=fine-0", "--snapshot", str(tmp_path / "moment"), env=env)
    assert 'No log of container "main" in pod "fine-0" was recorded.' in missing.out
    assert missing.err.startswith("error")
    answer = berth("ask", "what do the logs of fine-0 say", "--snapshot", str(tmp_path / "moment"), env=env)
    assert "could not be read (not recorded)" in answer.out
    assert "is empty" not in answer.out
    found = berth(*asked, "name=web-0", "--snapshot", str(tmp_path / "moment"), env=env)
    assert "web-0 speaks" in found.out


def test_one_namespace(tmp_path: Path) -> None:
    with served(open_snapshot([a_cluster(tmp_path / "source")]), tmp_path) as env:
        create(env, tmp_path / "moment", "-n", "shop")
        here, there = checked(env, "-n", "shop"), checked(env, "--snapshot", str(tmp_path / "moment"))
        assert there == checked(env, "--snapshot", str(tmp_path / "moment"), "-n", "shop")
        # the names of other namespaces are not written
        assert (here["looked_at"].pop("namespaces"), there["looked_at"].pop("namespaces")) == (2, 1)
        unknown = [gap for gap in there["gaps"] if gap["what"] == "namespaces"]
        assert [gap["why"] for gap in unknown] == ["not in the snapshot"]
        there["gaps"].remove(unknown[0])
        assert there == here
    text = everything(tmp_path / "moment")
    assert "bank" not in text
    assert "node-1" in text
    about = yaml.safe_load((tmp_path / "moment" / "snapshot.yaml").read_text())
    assert (about["namespace"], about["onlyNamespace"]) == ("shop", "shop")
    assert (about["serverVersion"], about["time"]) == ("v1.33.4", "2026-10-05T09:30:00Z")


def test_what_lies_outside_of_the_one_namespace_is_unknown(tmp_path: Path) -> None:
    """A webhook answered from elsewhere, budgets and requests of others: nothing is said of what was not taken."""
    env, moment = surroundings(tmp_path), str(tmp_path / "moment")
    create(env, tmp_path / "moment", "-n", "shop", "--scenario", "healthy-control")
    healthy = berth("check", "--snapshot", moment, env=env)
    assert (healthy.status, healthy.out.splitlines()[0][:33]) == (0, "No fault found in namespace shop ")
    assert "namespaces: not in the snapshot (only namespace shop was taken" in healthy.out
    for words in (("check",), ("ask", "is it healthy?", "--engine", "rules"), ("tool", "list_pods")):
        other = berth(*words, "--snapshot", moment, "-n", "data", env=env)
        assert (other.status, other.out) == (2, "")
        assert other.err.endswith(
            "error: snapshot moment holds namespace shop alone, and what is in data was not taken: leave out -n, or "
            "take a snapshot of data\n"
        )
    pods = berth("tool", "list_pods", "namespace=data", "--snapshot", moment, env=env)
    assert (pods.status, "This run reads namespace shop only" in pods.out) == (1, True)
    again = tmp_path / "again"
    create(env, again, "--snapshot", moment)
    assert everything(again) == everything(tmp_path / "moment")
    berth("scenario", "new", str(tmp_path / "mine"), "--from-snapshot", moment, env=env)
    assert berth("check", "--scenario", str(tmp_path / "mine"), env=env).status == 0


def test_a_drain_and_the_capacity_of_one_namespace_are_no_all_clear(tmp_path: Path) -> None:
    env, moment = surroundings(tmp_path), str(tmp_path / "moment")
    create(env, tmp_path / "moment", "-n", "payments", "--scenario", "pdb-blocks-drain")
    asked = {
        question: berth("ask", question, "--engine", "rules", "--snapshot", moment, env=env).out.splitlines()[0]
        for question in ("can I drain node-a?", "Is there enough capacity?")
    }
    assert "Only namespace payments was read" in asked["can I drain node-a?"]
    assert asked["can I drain node-a?"].endswith(" Take a snapshot without `-n`.**")
    assert "cannot be told: only namespace payments was read" in asked["Is there enough capacity?"]


def test_served_it_refuses_what_was_not_taken(tmp_path: Path) -> None:
    create(surroundings(tmp_path), tmp_path / "moment", "-n", "shop", "--scenario", "healthy-control")
    moment = open_snapshot([tmp_path / "moment"])
    kinds = {kind.plural: kind for kind in moment.kinds().kinds if not kind.group}
    for space in (None, "data"):
        with pytest.raises(NotTaken):
            moment.list(kinds["services"], space)
    for read in (
        lambda: moment.get(kinds["services"], "x", "data"),
        lambda: moment.get(kinds["namespaces"], "data"),
        lambda: list(moment.list(kinds["namespaces"])),
        lambda: moment.log("x", "data", "main"),
    ):
        with pytest.raises(NotTaken):
            read()
    assert moment.get(kinds["namespaces"], "shop")["metadata"]["name"] == "shop"
    with served(moment, tmp_path) as env:
        assert berth("check", env=env).status == 0


def test_a_namespace_refused_for_many_logs_is_told_once(tmp_path: Path) -> None:
    refused = [{"resource": "pods/log", "namespace": "shop", "status": 403}]
    source = a_cluster(tmp_path / "source", unavailable=refused)
    ended = create(surroundings(tmp_path), tmp_path / "moment", "--snapshot", str(source), "--logs", "all")
    assert ended.err.count("not read: pods/log in shop") == 1


def test_what_could_not_be_read_is_said(tmp_path: Path) -> None:
    refused = [
        {"resource": "nodes", "status": 403, "message": "nodes is forbidden: no"},
        {"resource": "pods/log", "namespace": "bank", "status": 403},
        {"resource": "events", "namespace": "bank", "status": 403},
        {"resource": "services", "status": 503},
    ]
    with served(open_snapshot([a_cluster(tmp_path / "source", unavailable=refused)]), tmp_path) as env:
        ended = create(env, tmp_path / "moment")
        assert checked(env, "--snapshot", str(tmp_path / "moment")) == checked(env)
    assert "not read: nodes (forbidden): nodes is forbidden: no\n" in ended.err
    assert "not read: services (unavailable)" in ended.err
    about = yaml.safe_load((tmp_path / "moment" / "snapshot.yaml").read_text())
    said = {(each["resource"], each.get("namespace"), each["status"]) for each in about["unavailable"]}
    assert said == {
        ("nodes", None, 403),
        ("pods/log", "bank", 403),
        ("events", "bank", 403),
        ("services", None, 503),
    }


def test_a_namespace_that_was_not_tried_is_not_empty_in_the_snapshot(tmp_path: Path) -> None:
    source = a_cluster(tmp_path / "source", unavailable=[{"resource": "pods", "namespace": "bank", "status": 403}])
    spaces = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"n{at:02}"}} for at in range(60)]
    (source / "objects" / "spaces.yaml").write_text(yaml.safe_dump_all(spaces))
    ended = create(surroundings(tmp_path), tmp_path / "moment", "--snapshot", str(source))
    assert "not read: pods in the other namespaces (too many)" in ended.err
    moment = open_snapshot([tmp_path / "moment"])
    pods = next(kind for kind in moment.kinds().kinds if (kind.group, kind.kind) == ("", "Pod"))
    assert list(moment.list(pods, "n00")) == []
    with pytest.raises(Forbidden):
        moment.list(pods, "n59")


def test_a_name_that_leads_out_of_the_directory_is_no_place_for_a_log(tmp_path: Path) -> None:
    source = a_cluster(tmp_path / "source")
    objects = source / "objects" / "all.yaml"
    objects.write_text(objects.read_text().replace("name: main", "name: ../../../../main"))
    ended = create(surroundings(tmp_path), tmp_path / "moment", "--snapshot", str(source))
    assert "not read: log of shop/web-0 ../../../../main (refused): '../../../../main' is no object name" in ended.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["moment", "source"]
    assert not (tmp_path / "moment" / "logs").exists()


def test_a_directory_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    source = a_cluster(tmp_path / "source")
    before = everything(source)
    ended = berth("snapshot", "create", str(source), "--snapshot", str(source), env=surroundings(tmp_path))
    assert ended.status == 2
    assert f"{source} is not empty" in ended.err
    assert everything(source) == before
    (tmp_path / "empty").mkdir()
    create(surroundings(tmp_path), tmp_path / "empty", "--snapshot", str(source), "-A")


def test_an_empty_directory_is_filled_where_it_is(tmp_path: Path) -> None:
    """A mount cannot be put in another's place, nor the directory that a shell stands in."""
    source = str(a_cluster(tmp_path / "source"))
    empty, link = tmp_path / "empty", tmp_path / "link"
    empty.mkdir()
    link.symlink_to(empty)
    number = empty.stat().st_ino
    create(surroundings(tmp_path), link, "--snapshot", source)
    assert empty.stat().st_ino == number
    assert sorted(path.name for path in empty.iterdir()) == ["logs", "objects", "snapshot.yaml"]


@pytest.mark.parametrize("there", [True, False])
def test_a_full_disk_leaves_nothing_behind(there: bool, tmp_path: Path) -> None:
    source, target = a_cluster(tmp_path / "source"), tmp_path / "moment"
    if there:
        target.mkdir()
    # no file may grow beyond one block
    words = ["bash", "-c", 'ulimit -f 1; exec "$@"', "bash", *COMMAND, "snapshot", "create", str(target)]
    env = {**surroundings(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run([*words, "--snapshot", str(source)], env=env, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr.endswith(f"error: {target} cannot be written: File too large\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["moment", "source"][not there :]
    assert not there or list(target.iterdir()) == []


def test_a_namespace_that_is_not_there(tmp_path: Path) -> None:
    source = a_cluster(tmp_path / "source")
    named = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    (source / "objects" / "namespace.yaml").write_text(yaml.safe_dump(named))
    words = ("snapshot", "create", str(tmp_path / "moment"), "-n", "shup", "--snapshot", str(source))
    ended = berth(*words, env=surroundings(tmp_path))
    assert (ended.status, ended.out) == (2, "")
    assert "error: there is no namespace shup; there are: shop" in ended.err
    assert not (tmp_path / "moment").exists()


# --- a server that hangs, breaks off, or serves what nobody asked for -----------------------------------------------


@pytest.fixture
def scripted(tmp_path: Path) -> Iterator[tuple[Recorder, dict[str, str]]]:
    """An API server that serves pods, services, Secrets and ConfigMaps, and the surroundings that lead to it."""
    kinds = {"pods": "Pod", "services": "Service", "secrets": "Secret", "configmaps": "ConfigMap"}
    resources = [
        {"name": plural, "kind": kind, "namespaced": True, "verbs": ["get", "list"]} for plural, kind in kinds.items()
    ]
    with recording() as recorder:
        recorder.replies["/api"] = Reply({"kind": "APIVersions", "versions": ["v1"]})
        recorder.replies["/apis"] = Reply({"kind": "APIGroupList", "groups": []})
        recorder.replies["/api/v1"] = Reply({"kind": "APIResourceList", "resources": resources})
        for plural, kind in kinds.items():
            one = {"metadata": {"name": "one", "namespace": "shop"}, "spec": {"nodeName": "n"}}
            recorder.replies[f"/api/v1/{plural}"] = Reply({"kind": f"{kind}List", "metadata": {}, "items": [one]})
        write_kubeconfig(tmp_path / "kubeconfig", recorder.url, "here", "shop")
        yield recorder, surroundings(tmp_path, KUBECONFIG=str(tmp_path / "kubeconfig"))


def test_secrets_and_configmaps_are_not_asked_for(scripted: tuple[Recorder, dict[str, str]], tmp_path: Path) -> None:
    recorder, env = scripted
    create(env, tmp_path / "moment", "--logs", "all")
    assert "/api/v1/pods?limit=500" in recorder.paths
    assert [path for path in recorder.paths if "secrets" in path or "configmaps" in path] == []
    assert {request.method for request in recorder.requests} == {"GET"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("hangs", ["/version", "/apis", "/api/v1/pods"])
def test_stopped_in_the_middle_nothing_is_left(
    number: signal.Signals, hangs: str, scripted: tuple[Recorder, dict[str, str]], tmp_path: Path
) -> None:
    recorder, env = scripted
    recorder.script = lambda request: Reply(stall=30) if request.path.startswith(hangs) else None
    process = start("snapshot", "create", str(tmp_path / "moment"), env=env)
    while not any(path.startswith(hangs) for path in recorder.paths):
        time.sleep(0.02)
    time.sleep(0.2)
    stopped = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - stopped < 15
    assert (process.returncode, out, err) == (130, b"", b"error: interrupted: nothing was written\n")
    assert [path.name for path in tmp_path.iterdir()] == ["kubeconfig"]


def test_a_list_that_breaks_off_is_not_there_by_half(scripted: tuple[Recorder, dict[str, str]], tmp_path: Path) -> None:
    recorder, env = scripted
    items = [{"metadata": {"name": f"p{number}", "namespace": "shop"}} for number in range(3)]
    first = {"kind": "PodList", "metadata": {"continue": "more"}, "items": items}
    recorder.replies["/api/v1/pods?limit=500"] = Reply(first)
    recorder.replies["/api/v1/pods?limit=500&continue=more"] = status(500, "InternalError", "etcd is gone")
    ended = create(env, tmp_path / "moment")
    assert "not read: pods (unavailable): etcd is gone\n" in ended.err
    assert not (tmp_path / "moment" / "objects" / "core" / "pods.json").exists()
    about = yaml.safe_load((tmp_path / "moment" / "snapshot.yaml").read_text())
    assert {"resource": "pods", "status": 503, "message": "etcd is gone"} in about["unavailable"]


@pytest.mark.parametrize("command", ["snapshot", "check", "ask"])
def test_credentials_that_are_refused_half_way_end_it(command: str, tmp_path: Path) -> None:
    with recording() as server:
        server.replies["/api"] = Reply({"kind": "APIVersions", "versions": ["v1"]})
        server.replies["/apis"] = Reply({"kind": "APIGroupList", "groups": []})
        pods = {"name": "pods", "kind": "Pod", "namespaced": True, "verbs": ["get", "list"]}
        server.replies["/api/v1"] = Reply({"kind": "APIResourceList", "resources": [pods]})
        gone = status(401, "Unauthorized", "Unauthorized")
        server.script = lambda request: gone if "/pods" in request.path else None
        write_kubeconfig(tmp_path / "kubeconfig", server.url, "here", "shop")
        env = surroundings(tmp_path, KUBECONFIG=str(tmp_path / "kubeconfig"))
        words = {
            "snapshot": ["snapshot", "create", str(tmp_path / "moment")],
            "check": ["check"],
            "ask": ["ask", "is all well?", "--engine", "rules", "-q"],
        }
        ended = berth(*words[command], env=env)
    assert ended.status == 3
    assert "were refused (401 Unauthorized)" in ended.err
    assert len(ended.err.splitlines()) == 1
    assert not (tmp_path / "moment").exists()
