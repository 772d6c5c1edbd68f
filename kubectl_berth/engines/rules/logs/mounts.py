"""What stands behind a path in a container: the ConfigMap, Secret or claim that is mounted there."""

from __future__ import annotations

from kubectl_berth.cluster.views import Pod
from kubectl_berth.records import Ref


def mounted_at(pod: Pod, container: str, path: str) -> Ref | None:
    """The source of the longest mount that the path lies in; None where that is no object of its own."""
    spec = pod.container(container)
    fitting = [
        mount
        for mount in (spec.volume_mounts if spec is not None else ())
        if mount.mount_path and f"{path.rstrip('/')}/".startswith(f"{mount.mount_path.rstrip('/')}/")
    ]
    if not fitting:
        return None
    name = max(fitting, key=lambda mount: len(mount.mount_path)).name
    for volume in pod.spec.volumes:
        if volume.name != name:
            continue
        if volume.persistent_volume_claim is not None:
            return Ref("PersistentVolumeClaim", pod.namespace, volume.persistent_volume_claim.claim_name)
        if volume.config_map is not None:
            return Ref("ConfigMap", pod.namespace, volume.config_map.name)
        if volume.secret is not None:
            return Ref("Secret", pod.namespace, volume.secret.secret_name)
    return None
