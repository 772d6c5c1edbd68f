"""What hangs on an object: found in specs, labels and names, and in nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_berth.diagnosis.dependents import (
    callers,
    claim_use,
    keepers,
    made_secrets,
    released_by,
    scalers,
    snapshots,
    takers,
)
from kubectl_berth.diagnosis.inventory import take
from kubectl_berth.records import Ref
from tests.engines.rules.consequence_clusters import claim, mounted, naming, stateful, takes
from tests.engines.rules.families import alone, named
from tests.fakes.small_clusters import SmallCluster

LOOM = Ref("Deployment", "mill", "loom")


@pytest.fixture
def small(tmp_path: Path) -> SmallCluster:
    cluster = SmallCluster(tmp_path / "snapshot")
    cluster.namespaces("mill", "vault")
    cluster.healthy("loom", "mill")
    return cluster


def test_who_uses_a_claim(small: SmallCluster) -> None:
    stateful(small, "silo", "vault", template="grain")
    claim(small, "grain-silo-0", "vault")
    claim(small, "grain-silo-3", "vault")
    claim(small, "grain-other-0", "vault")
    small.definition("db.example.io", "v1", "Basin", "basins")
    small.add("db.example.io/v1", "Basin", "lake", "vault", spec={"storage": {"existingClaim": "grain-other-0"}})
    inventory = take(small.open())
    first = claim_use(inventory, Ref("PersistentVolumeClaim", "vault", "grain-silo-0"))
    assert [pod.name for pod in first.pods] == ["silo-0"] and not first.spare
    left = claim_use(inventory, Ref("PersistentVolumeClaim", "vault", "grain-silo-3"))
    assert left.spare and not left.pods and left.stateful_set == Ref("StatefulSet", "vault", "silo")
    other = claim_use(inventory, Ref("PersistentVolumeClaim", "vault", "grain-other-0"))
    assert other.stateful_set is None and [ref.name for ref in other.named_by] == ["lake"]


def test_a_finished_pod_uses_no_claim(small: SmallCluster) -> None:
    claim(small, "dye", "mill")
    small.pod("done", "mill", phase="Succeeded", ready=False, spec=mounted("dye"))
    assert not claim_use(take(small.open()), Ref("PersistentVolumeClaim", "mill", "dye")).anybody


def test_only_a_snapshot_that_can_be_restored_counts(small: SmallCluster) -> None:
    claim(small, "dye", "mill")
    small.definition("snapshot.storage.k8s.io", "v1", "VolumeSnapshot", "volumesnapshots")
    for name, ready in (("monday", True), ("broken", False)):
        small.add("snapshot.storage.k8s.io/v1", "VolumeSnapshot", name, "mill",
                  spec={"source": {"persistentVolumeClaimName": "dye"}}, status={"readyToUse": ready})  # fmt: skip
    found = snapshots(take(small.open()), Ref("PersistentVolumeClaim", "mill", "dye"))
    assert [one.name for one in found] == ["monday"]


def test_who_leads_to_a_service(small: SmallCluster) -> None:
    stateful(small, "tally", "vault")
    naming(small, "loom", "tally.vault:7000")
    small.definition("gateway.networking.k8s.io", "v1", "HTTPRoute", "httproutes")
    small.add("gateway.networking.k8s.io/v1", "HTTPRoute", "way", "mill",
              spec={"rules": [{"backendRefs": [{"name": "tally", "namespace": "vault", "port": 80}]}]})  # fmt: skip
    found = callers(take(small.open()), Ref("Service", "vault", "tally"))
    assert set(found) == {LOOM, Ref("HTTPRoute", "mill", "way")}


def test_who_takes_from_a_secret_and_what_makes_it(small: SmallCluster) -> None:
    takes(small, "loom", "loom-keys")
    small.add("networking.k8s.io/v1", "Ingress", "front", "mill", spec={"tls": [{"secretName": "front-tls"}]})
    small.definition("keys.example.io", "v1", "KeyRing", "keyrings")
    small.add("keys.example.io/v1", "KeyRing", "ring", "mill", spec={"output": {"secretName": "loom-keys"}})
    inventory = take(small.open())
    assert LOOM in takers(inventory, "Secret", "mill", "loom-keys")
    assert takers(inventory, "Secret", "mill", "front-tls") == [Ref("Ingress", "mill", "front")]
    assert takers(inventory, "ConfigMap", "mill", "loom-keys") == []
    assert list(made_secrets(inventory, inventory.custom[0])) == ["loom-keys"]


@pytest.mark.parametrize(
    "marks",
    [
        {"labels": {"roll.example.dev/name": "weaving"}},
        {"labels": {"kustomize.roll.example.dev/name": "weaving"}},
        {"annotations": {"agent.roll.example.dev/tracking-id": "weaving:apps/Deployment:mill/loom"}},
    ],
)
def test_what_rolls_it_out_is_known_by_labels_of_its_own_group(
    small: SmallCluster, marks: dict[str, dict[str, str]]
) -> None:
    small.definition("roll.example.dev", "v1", "Release", "releases")
    small.add("roll.example.dev/v1", "Release", "weaving", "mill", spec={})
    small.add("roll.example.dev/v1", "Release", "other", "mill", spec={})
    metadata = named(small, "Deployment", "loom")["metadata"]
    for key, values in marks.items():
        metadata[key] |= values
    inventory = take(small.open())
    view = inventory.find(LOOM)
    assert view is not None and keepers(inventory, view) == [Ref("Release", "mill", "weaving")]


def test_labels_of_no_group_that_is_served_name_nobody(small: SmallCluster) -> None:
    metadata = named(small, "Deployment", "loom")["metadata"]
    metadata["labels"] |= {"example.dev/name": "weaving", "app.kubernetes.io/managed-by": "Helm"}
    metadata["annotations"] |= {"meta.helm.sh/release-name": "mill"}
    inventory = take(small.open())
    view = inventory.find(LOOM)
    assert view is not None and keepers(inventory, view) == []
    assert released_by(view) == "Helm, release mill"


def test_what_scales_it(small: SmallCluster) -> None:
    alone(small, "loom2", "mill", ready=True)
    small.definition("scale.example.io", "v1", "Scaler", "scalers")
    small.add("scale.example.io/v1", "Scaler", "by-queue", "mill", spec={"scaleTargetRef": {"name": "loom"}})
    inventory = take(small.open())
    assert scalers(inventory, LOOM) == [Ref("Scaler", "mill", "by-queue")]
    assert scalers(inventory, Ref("Deployment", "mill", "loom2")) == []
