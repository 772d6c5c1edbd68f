"""Which representation of an answer a client's Accept header asks for."""

from __future__ import annotations

from dataclasses import dataclass, field

from kubectl_berth.cluster.failures import not_acceptable

JSON = "application/json"


@dataclass(frozen=True)
class Media:
    """One acceptable media type: `form` is "" for plain JSON, or Table, PartialObjectMetadata(List), ..."""

    form: str = ""
    group: str = ""
    version: str = ""
    parameters: dict[str, str] = field(default_factory=dict)


def accepted(header: str) -> list[Media]:
    """The JSON representations a client takes, in its order; ApiFailure 406 where it takes none."""
    found = []
    for entry in header.split(",") if header.strip() else [JSON]:
        kind, *rest = (part.strip() for part in entry.split(";"))
        parameters = dict(part.split("=", 1) for part in rest if "=" in part)
        if kind in (JSON, "*/*", "application/*") and parameters.get("stream") is None:
            found.append(Media(parameters.get("as", ""), parameters.get("g", ""), parameters.get("v", "")))
    if not found:
        raise not_acceptable(JSON)
    return found


def offered(header: str, group: str, version: str, forms: tuple[str, ...]) -> str:
    """The first form the client takes among plain JSON ("") and `forms` of that group and version."""
    for media in accepted(header):
        if not media.form:
            return ""
        if media.form in forms and (media.group, media.version) == (group, version):
            return media.form
    raise not_acceptable(JSON)
