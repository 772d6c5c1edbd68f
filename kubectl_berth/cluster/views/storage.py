# ruff: noqa: RUF012 -- msgspec copies an empty default for every struct
"""Views of volumes and what makes them."""

from __future__ import annotations

from msgspec import field

from kubectl_berth.cluster.views.base import Amounts, Condition, Identified, Meta, View
from kubectl_berth.cluster.views.pods import NodeTerms, Resources
from kubectl_berth.records import Ref


class ClaimSpec(View):
    """A claim's spec. `storage_class_name` absent means the default class, "" means none."""

    storage_class_name: str | None = None
    volume_name: str = ""
    access_modes: list[str] = []
    resources: Resources = field(default_factory=Resources)


class ClaimStatus(View):
    """A claim's status."""

    phase: str = ""
    capacity: Amounts = {}
    conditions: list[Condition] = []


class PersistentVolumeClaim(Identified):
    """A claim on a volume."""

    spec: ClaimSpec = field(default_factory=ClaimSpec)
    status: ClaimStatus = field(default_factory=ClaimStatus)


class ClaimReference(View):
    """The claim a volume is bound to."""

    kind: str = "PersistentVolumeClaim"
    namespace: str = ""
    name: str = ""
    uid: str = ""

    @property
    def ref(self) -> Ref:
        """The claim."""
        return Ref("PersistentVolumeClaim", self.namespace, self.name)


class CsiSource(View):
    """A CSI volume."""

    driver: str = ""


class VolumeNodeAffinity(View):
    """Where a volume can be reached."""

    required: NodeTerms | None = None


class VolumeSpec(View):
    """A volume's spec; the reclaim policy says what becomes of it once its claim is gone."""

    storage_class_name: str = ""
    claim_ref: ClaimReference | None = None
    capacity: Amounts = {}
    csi: CsiSource | None = None
    persistent_volume_reclaim_policy: str = ""
    node_affinity: VolumeNodeAffinity | None = None


class VolumeStatus(View):
    """A volume's status."""

    phase: str = ""
    reason: str = ""
    message: str = ""


class PersistentVolume(Identified):
    """A volume."""

    spec: VolumeSpec = field(default_factory=VolumeSpec)
    status: VolumeStatus = field(default_factory=VolumeStatus)


class StorageClass(Identified):
    """A storage class."""

    provisioner: str = ""
    allow_volume_expansion: bool = False

    @property
    def default(self) -> bool:
        """True where claims without a class get this one."""
        return self.metadata.annotations.get("storageclass.kubernetes.io/is-default-class") == "true"


class AttachmentSource(View):
    """What is attached."""

    persistent_volume_name: str = ""


class AttachmentSpec(View):
    """Which volume is attached where."""

    node_name: str = ""
    source: AttachmentSource = field(default_factory=AttachmentSource)


class AttachmentError(View):
    """Why attaching or detaching failed."""

    message: str = ""
    time: str | None = None


class AttachmentStatus(View):
    """Why it could not be attached or detached."""

    attach_error: AttachmentError | None = None
    detach_error: AttachmentError | None = None


class VolumeAttachment(Identified):
    """A volume attached to a node."""

    spec: AttachmentSpec = field(default_factory=AttachmentSpec)
    status: AttachmentStatus = field(default_factory=AttachmentStatus)


class CsiNodeDriver(View):
    """A driver registered on a node."""

    name: str = ""


class CsiNodeSpec(View):
    """The drivers of a node."""

    drivers: list[CsiNodeDriver] = []


class CSINode(Identified):
    """The CSI drivers that registered on a node."""

    spec: CsiNodeSpec = field(default_factory=CsiNodeSpec)


class CSIDriver(Identified):
    """A CSI driver: that it is installed."""


class QuotaStatus(View):
    """What a quota allows and what is used of it, by its own names ("requests.cpu", "pods")."""

    hard: Amounts = {}
    used: Amounts = {}


class ResourceQuota(Identified):
    """A quota of a namespace."""

    status: QuotaStatus = field(default_factory=QuotaStatus)


class LimitRangeItem(View):
    """Bounds for one type of object."""

    type: str = ""
    max: Amounts = {}
    min: Amounts = {}
    default: Amounts = {}


class LimitRangeSpec(View):
    """All bounds."""

    limits: list[LimitRangeItem] = []


class LimitRange(Identified):
    """Bounds on what pods of a namespace may ask for."""

    metadata: Meta = field(default_factory=Meta)
    spec: LimitRangeSpec = field(default_factory=LimitRangeSpec)
