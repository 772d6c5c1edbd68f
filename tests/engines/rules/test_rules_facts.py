"""Questions for a fact: what something is set to, how many there are, which lack what."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_berth.engines.engine import Conversation
from kubectl_berth.engines.rules.engine import make_rules
from kubectl_berth.records import Finished
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox
from tests.fakes.rules_answers import ask, first
from tests.fakes.small_clusters import SmallCluster


@pytest.fixture
def small(tmp_path: Path) -> SmallCluster:
    cluster = SmallCluster(tmp_path / "snapshot")
    cluster.namespaces("shop", "data")
    web = cluster.deployment("web", "shop", replicas=2, ready=2)
    made = cluster.replica_set(web, "5d78c9869d", replicas=2, ready=2)
    pods = [cluster.pod(f"web-5d78c9869d-{end}", "shop", owner=made, app="web") for end in ("x2k4q", "m4nzp")]
    for spec in (web["spec"]["template"]["spec"], *(pod["spec"] for pod in pods)):
        spec["containers"][0] |= {
            "readinessProbe": {"httpGet": {"path": "/ready", "port": 8080}, "periodSeconds": 5},
            "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}},
            "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
            "env": [{"name": "LOG_LEVEL", "value": "debug"}, {"name": "MODE", "value": "fast"}],
        }
    cluster.service("web", "shop", {"app": "web"}, ready=["10.0.0.1"], port=80)
    cluster.healthy("cart", "shop")
    cluster.healthy("sessions", "data", image="docker.io/library/redis")
    return cluster


SET: dict[str, tuple[str, ...]] = {
    "does web have a readiness probe?": ("Yes", "readiness probe", "GET /ready", "8080", "every 5 s"),
    "is there a liveness probe on web": ("No", "no liveness probe"),
    "does cart have health checks?": ("No", "Deployment shop/cart has no probe"),
    "what are the requests and limits of web?": ("requests cpu 100m, memory 64Mi", "limited to memory 128Mi", "no cpu"),
    "what's the memory limit of web": ("limited to memory 128Mi",),
    "web memory limit?": ("limited to memory 128Mi",),
    "does cart have cpu limits?": ("has no cpu limits",),
    "how many replicas does web have?": ("is set to 2 pods", "2 ready"),
    "which port does web listen on?": ("declares port 8080 (http)",),
    "what env vars does web have": ("LOG_LEVEL", "MODE"),
    "which service account does web use?": ("ServiceAccount shop/default",),
    "is there a pdb for web?": ("No: no PodDisruptionBudget",),
    "does web have an autoscaler?": ("No: no HorizontalPodAutoscaler",),
    "what labels does web have?": ("app=web",),
    "who owns pod web-5d78c9869d-x2k4q?": ("ReplicaSet shop/web-5d78c9869d, which belongs to Deployment shop/web",),
    "what type is service web?": ("Service shop/web is of type ClusterIP", "port 80"),
    "where is web running?": ("The 2 pods of Deployment shop/web are on node-a",),
    "what taints does node-a have?": ("Node node-a has no taints",),
    "when was web created?": ("Deployment shop/web was",),
}


@pytest.mark.parametrize("question", SET)
def test_what_is_set_is_told_first(small: SmallCluster, question: str) -> None:
    answer = ask(small, question)
    head = answer.partition("No model was used")[0]
    for words in SET[question]:
        assert words in head, answer
    assert "looks healthy" not in first(answer)
    assert "debug" not in answer  # values of variables are never shown


def test_what_is_wrong_beside_a_fact_is_one_line(small: SmallCluster) -> None:
    small.crashing("worker", "shop", code=137, reason="OOMKilled", limits={"memory": "256Mi"})
    answer = ask(small, "what is the memory limit of worker?")
    assert "worker" in first(answer) and "memory" in first(answer) and "killed" not in first(answer)
    assert "**Also wrong with it**" in answer
    assert "**Evidence**" not in answer


# --- which lack what, how many there are ----------------------------------------------------------------------------


LISTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "which deployments have no memory limit?": (("2 of the 3 Deployments", "shop/cart", "data/sess"), ("shop/web",)),
    "which pods don't have a readiness probe in shop": (("1 of the 2 workloads in namespace shop",), ("sessions",)),
    "are there any deployments without requests?": (("2 of the 3 Deployments", "shop/cart"), ("shop/web",)),
    "which workloads have no pdb": (("3 of the 3 workloads", "guarded by no PodDisruptionBudget"), ()),
    "which pods use the latest tag?": (("1 of the 3 workloads", "data/sessions"), ("shop/cart",)),
    "how many pods are in shop?": (("There are 3 Pods (3 ready) in namespace shop",), ("data",)),
    "how many pods are pending": (("None of the 4 pods", "Pending"), ()),
    "list services": (("There are 3 Services", "shop/web"), ()),
    "how many nodes are there?": (("There are 3 Nodes", "node-a, node-b, node-c"), ()),
}  # fmt: skip


@pytest.mark.parametrize("question", LISTS)
def test_lists_and_counts(small: SmallCluster, question: str) -> None:
    says, never = LISTS[question]
    answer = ask(small, question).partition("No model was used")[0]
    for words in says:
        assert words in answer, answer
    for words in never:
        assert words not in answer, answer


def test_pods_in_a_state_are_listed_with_the_reason(small: SmallCluster) -> None:
    small.crashing("worker", "shop")
    answer = ask(small, "how many pods are not ready?")
    assert first(answer) == "**1 of the 5 pods that can be read is not ready.**"
    assert "Pod shop/worker-6b8f7c9d44-q7zkd (CrashLoopBackOff)" in answer


def test_a_list_that_could_not_be_read_whole_says_so(small: SmallCluster) -> None:
    cluster = small.open()
    toolbox = Toolbox(Context(cluster))
    assert "could not be read" not in ask(small, "how many deployments are there?")
    object.__setattr__(toolbox.context.inventory(), "unread", frozenset({"deployments"}))
    finished = list(make_rules().run(Conversation("", "", "how many deployments are there?", ()), toolbox, 8))[-1]
    assert isinstance(finished, Finished)
    assert "not all could be read: deployments" in first(finished.text)


# --- what is no question for a fact ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "why does worker have no memory limit and crash?",
        "worker has 0/1 pods",
        "is the memory limit of worker too low?",
        "does the readiness probe of worker fail?",
        "which pods are crashing because they have no limits?",
        "is worker ok, how many replicas does it have left?",
        "worker pods restart all the time, what's the limit?",
    ],
)
def test_a_complaint_gets_a_diagnosis(small: SmallCluster, question: str) -> None:
    small.crashing("worker", "shop", code=1)
    answer = ask(small, question)
    assert "worker" in first(answer)
    assert "**Evidence**" in answer or "**Figures**" in answer
