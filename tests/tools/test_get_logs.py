"""get_logs: the container that fails, the log that exists, what is shown and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_berth.tools.log_text import fold, matches, plain, shorten
from kubectl_berth.tools.toolbox import Toolbox
from tests.tools.objects import (
    BACKING_OFF,
    CRASHED,
    RUNNING,
    Object,
    ago,
    deployment,
    namespace,
    pod,
    replica_set,
    shop,
    toolbox,
)

FATAL = "2026-10-05T09:28:02Z FATAL required setting DATABASE_URL is empty"
LOG = f"2026-10-05T09:28:01Z INFO starting api 1.8.2\n{FATAL}\n"
API = "shop/api-6b8f7c9d44-q7zkd/app"


def _running_again() -> list[Object]:
    """The shop, its api restarted a second ago: the present log is still empty."""
    objects = shop()
    sick = next(o for o in objects if o["metadata"]["name"] == "api-6b8f7c9d44-q7zkd")
    sick["status"]["containerStatuses"][0]["state"] = {"running": {"startedAt": ago(seconds=1)}}
    return objects


def test_the_empty_present_log_gives_way_to_the_previous_one_and_says_so(tmp_path: Path) -> None:
    box = toolbox(tmp_path, _running_again(), {f"{API}.log": "", f"{API}.previous.log": LOG})
    for arguments in ({"previous": False, "tailLines": 0, "sinceSeconds": 0, "container": ""}, {"sinceSeconds": 30}):
        result = box.call("get_logs", {"kind": "Pod", "name": "api", "namespace": "shop", **arguments})
        assert result.fate == "ok" and FATAL in result.text
        assert "previous instance (exit 1 Error 60s ago after 60s)" in result.text
        assert "the current log is empty" in result.text and "this is the previous one" in result.text


def test_no_previous_log_gives_way_to_the_present_one(tmp_path: Path) -> None:
    box = toolbox(tmp_path, shop(), {"shop/web-5d9c8b7f6d-hx5kd/app.log": "all is well\n"})
    result = box.call("get_logs", {"name": "web-5d9c8b7f6d-hx5kd", "namespace": "shop", "previous": True})
    assert result.fate == "ok" and "all is well" in result.text
    assert "there is no previous log: this is the current one" in result.text


@pytest.mark.parametrize("kind", ["Deployment", "deploy", "ReplicaSet", "Pod"])
def test_a_workload_means_its_worst_pod(tmp_path: Path, kind: str) -> None:
    api = deployment("api", "shop", 2, 1)
    owner = replica_set(api, "6b8f7c9d44", 2, 1)
    well = pod("api-6b8f7c9d44-bbbbb", "shop", owner=owner)
    sick = pod("api-6b8f7c9d44-zzzzz", "shop", owner=owner, state=BACKING_OFF, last=CRASHED, restarts=4, ready=False)
    logs = {"shop/api-6b8f7c9d44-zzzzz/app.previous.log": LOG, "shop/api-6b8f7c9d44-bbbbb/app.log": "fine\n"}
    box = toolbox(tmp_path, [namespace("shop"), api, owner, well, sick], logs)
    name = "api-6b8f7c9d44" if kind == "ReplicaSet" else "api"
    result = box.call("get_logs", {"kind": kind, "name": name, "namespace": "shop"})
    assert result.fate == "ok" and FATAL in result.text
    assert "api-6b8f7c9d44-zzzzz" in result.text and "api-6b8f7c9d44-bbbbb (Running)" in result.text


def test_the_failing_container_is_picked_and_the_others_named(tmp_path: Path) -> None:
    two = pod("two", "shop", container="app")
    two["spec"]["containers"].append({"name": "proxy", "image": "p"})
    two["status"]["containerStatuses"].append(
        {"name": "proxy", "ready": False, "restartCount": 3, "state": BACKING_OFF, "lastState": CRASHED}
    )
    logs = {"shop/two/app.log": "app is fine\n", "shop/two/proxy.previous.log": "proxy: bind failed\n"}
    box = toolbox(tmp_path, [namespace("shop"), two], logs)
    text = box.call("get_logs", {"name": "two", "namespace": "shop"}).text
    assert "proxy: bind failed" in text and "container proxy was taken; others: app" in text
    assert "app is fine" in box.call("get_logs", {"name": "two", "namespace": "shop", "container": "app"}).text
    wrong = box.call("get_logs", {"name": "two", "namespace": "shop", "container": "prxy"})
    assert wrong.fate == "error" and "Its containers: app, proxy. Nearest: proxy." in wrong.text


def test_a_container_that_never_started_says_why_it_has_no_log(tmp_path: Path) -> None:
    stuck = pod(
        "etl", "shop", state={"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling"}}, ready=False
    )
    stuck["status"]["phase"] = "Pending"
    pending = pod("report", "shop", on="", phase="Pending", ready=False, state={})
    del pending["status"]["containerStatuses"]
    box = toolbox(tmp_path, [namespace("shop"), stuck, pending], {"shop/other/app.log": "x"})
    result = box.call("get_logs", {"name": "etl", "namespace": "shop"})
    assert result.fate == "empty"
    assert "No current log lines of container app in Pod shop/etl" in result.text
    assert "waiting, ImagePullBackOff (Back-off pulling)" in result.text
    assert box.call("get_logs", {"name": "report", "namespace": "shop"}).fate == "empty"


def test_period_and_what_was_cut_are_told(tmp_path: Path) -> None:
    lines = [f"2026-10-05T09:{n // 60:02}:{n % 60:02}Z INFO request {n} {'x' * 200}" for n in range(400)]
    box = toolbox(tmp_path, shop(), {f"{API}.previous.log": "\n".join(lines) + "\n"})
    result = box.call("get_logs", {"name": "api", "namespace": "shop", "tailLines": 300})
    assert "300 lines read (the newest 300; there may be older ones)" in result.text
    assert "from 2026-10-05T09:01:40Z to 2026-10-05T09:06:39Z" in result.text
    assert "the oldest" in result.text and "are cut" in result.text
    assert "request 399 " in result.text and "request 100 " not in result.text
    assert result.bytes < 12 * 1024


def test_a_filter_looks_at_more_lines_than_are_shown(tmp_path: Path) -> None:
    lines = ["ERROR early trouble", *(f"INFO all quiet {n}" for n in range(300))]
    box = toolbox(tmp_path, shop(), {f"{API}.previous.log": "\n".join(lines)})
    found = box.call("get_logs", {"name": "api", "namespace": "shop", "grep": "error|fatal"})
    assert found.fate == "ok" and "ERROR early trouble" in found.text and "all quiet" not in found.text
    nothing = box.call("get_logs", {"name": "api", "namespace": "shop", "grep": "panic"})
    assert nothing.fate == "empty"
    assert "0 with 'panic'" in nothing.text and "all quiet 299" in nothing.text


def test_withheld_logs_name_the_setting_the_command_and_what_is_known(tmp_path: Path) -> None:
    box = toolbox(tmp_path, shop(), {f"{API}.previous.log": LOG}, raw_allowed=False)
    result = box.call("get_logs", {"kind": "Pod", "name": "api", "namespace": "shop", "previous": True})
    assert result.fate == "withheld"
    assert "AI_ALLOW_RAW_DIAGNOSTICS=true or --allow-raw-diagnostics" in result.text
    assert "kubectl logs api-6b8f7c9d44-q7zkd -n shop --previous" in result.text
    assert "14 restarts" in result.text and "DATABASE_URL" not in result.text
    assert [gap.why for gap in box.gaps] == ["withheld"]


def test_a_forbidden_log_is_a_gap_of_its_namespace(tmp_path: Path) -> None:
    rules = [{"resource": "pods/log", "status": 403, "namespace": "shop"}]
    box = toolbox(tmp_path, shop(), {f"{API}.previous.log": LOG}, unavailable=rules)
    result = box.call("get_logs", {"name": "api", "namespace": "shop"})
    assert result.fate == "error" and "Say that it was not checked" in result.text
    assert [(gap.what, gap.why) for gap in box.gaps] == [("pods/log in shop", "forbidden")]


def test_a_workload_without_pods_is_an_error(tmp_path: Path) -> None:
    box = toolbox(tmp_path, [*shop(), deployment("idle", "shop", 0, 0)])
    result = box.call("get_logs", {"kind": "Deployment", "name": "idle", "namespace": "shop"})
    assert result.fate == "error" and "has no pods now" in result.text


def test_the_log_of_a_custom_resource_is_that_of_its_pods(tmp_path: Path) -> None:
    box: Toolbox = toolbox(tmp_path, shop(), {"data/ledger-db-3/postgres.previous.log": "could not open WAL\n"})
    result = box.call("get_logs", {"name": "ledger-db", "namespace": "data"})
    assert result.fate == "ok" and "could not open WAL" in result.text


# --- the text -------------------------------------------------------------------------------------------------------


def test_repeats_are_folded_whatever_their_time() -> None:
    lines = [f"2026-10-05T09:00:{n % 60:02}Z WARN connection refused" for n in range(214)]
    assert [line for line, _ in fold(lines)] == ["2026-10-05T09:00:00Z WARN connection refused ... x 214"]


def test_a_repeated_stack_trace_is_folded_as_a_whole() -> None:
    trace = ["10:00:01 ERROR boom", "  at a.b.c", "  at d.e.f"]
    folded = [line for line, _ in fold([*trace * 5, "end"])]
    assert folded == ["10:00:01 ERROR boom", "  at a.b.c", "  at d.e.f ... x 5 (these 3 lines)", "end"]


def test_lines_that_differ_in_more_than_time_stay_apart() -> None:
    lines = ["batch 4411 loaded", "batch 4412 loaded"]
    assert [line for line, _ in fold(lines)] == lines


def test_json_lines_are_written_plainly_without_bookkeeping() -> None:
    line = (
        '{"level": "info", "ts": "2026-10-05T09:25:46Z", "logger": "postgres", "msg": "record", "record": '
        '{"error_severity": "PANIC", "process_id": "27", "message": "could not locate a valid checkpoint record"}}'
    )
    assert plain(line) == (
        "2026-10-05T09:25:46Z info record record.error_severity=PANIC "
        'record.message="could not locate a valid checkpoint record"'
    )
    for other in ("{not json", "[1]", "{}", '{"a": ' * 5000, "plain words"):
        assert plain(other) == other


def test_a_secret_in_a_json_line_is_redacted_whole(tmp_path: Path) -> None:
    phrase = " ".join(("correct", "horse", "battery", "Staple9"))
    log = f'{{"msg": "login", "password": "{phrase}", "db": {{"passwd": "{phrase}"}}}}\n'
    box = toolbox(tmp_path, [namespace("shop"), pod("web", "shop")], {"shop/web/app.log": log})
    text = box.call("get_logs", {"name": "web", "namespace": "shop"}).text
    assert "login" in text and "password=" in text
    assert not any(word in text for word in phrase.split())


def test_a_filter_parts_no_secret_from_what_it_is_recognised_by(tmp_path: Path) -> None:
    body = [letter * 60 + "Zk3=" for letter in "MNPQ"]
    key = ["-----BEGIN PRIVATE" + " KEY-----", *body, "-----END PRIVATE" + " KEY-----"]
    log = "\n".join(["starting", *key, "Password:", "  sun" + "flower-14", "ready sun"])
    box = toolbox(tmp_path, [namespace("shop"), pod("web", "shop")], {"shop/web/app.log": log})
    for pattern in ("Zk3", "sun", "flower", "start"):
        text = box.call("get_logs", {"name": "web", "namespace": "shop", "grep": pattern}).text
        assert "Zk3=" not in text and "flower-14" not in text, text


def test_a_clipped_line_ends_in_no_half_of_a_token(tmp_path: Path) -> None:
    token = "ghp_" + "A1b2C3d4E5" * 4
    log = "x" * 585 + " " + token + " refused\n"
    box = toolbox(tmp_path, [namespace("shop"), pod("web", "shop")], {"shop/web/app.log": log})
    text = box.call("get_logs", {"name": "web", "namespace": "shop"}).text
    assert "xxx" in text and "A1b2" not in text


def test_a_very_long_line_is_clipped_and_says_so() -> None:
    shown = shorten("x" * 200_000 + "\nlast\n")
    assert "(+199400 characters)" in shown.text and shown.text.endswith("last")


@pytest.mark.parametrize(
    ("pattern", "line", "expected"),
    [
        ("error", "An ERROR", True),
        ("fatal|error", "an error", True),
        ("conn.*refused", "connection was refused", True),
        ("refused.*conn", "connection was refused", False),
        ("^FATAL", "x fatal", True),
        ("(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", False),
    ],
)
def test_a_filter_is_words_and_never_a_regular_expression(pattern: str, line: str, expected: bool) -> None:
    assert matches(line, pattern) is expected


def test_a_container_that_runs_again_points_at_the_instance_before(tmp_path: Path) -> None:
    killed = {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": ago(minutes=5)}}
    worker = pod("worker", "shop", restarts=9, last=killed)
    box = toolbox(tmp_path, [namespace("shop"), worker], {"shop/worker/app.log": "batch 4412 loaded\n"})
    text = box.call("get_logs", {"name": "worker", "namespace": "shop"}).text
    assert "before it, exit 137 OOMKilled: previous: true gives the log of that instance" in text


def test_running_state_is_told_for_a_healthy_container(tmp_path: Path) -> None:
    box = toolbox(tmp_path, [namespace("shop"), pod("web", "shop", state=RUNNING)], {"shop/web/app.log": "ok\n"})
    assert (
        "current instance (running for 120m, 0 restarts)"
        in box.call("get_logs", {"name": "web", "namespace": "shop"}).text
    )
