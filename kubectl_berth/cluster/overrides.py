"""kubectl's connection flags, which lie on top of what the kubeconfig says about cluster and user."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from kubectl_berth.errors import UsageError

if TYPE_CHECKING:
    from kubectl_berth.cluster.kubeconfig import ClusterEntry, UserEntry


@dataclass(frozen=True)
class Overrides:
    """The flags as given; what was not given is empty. Paths are relative to the working directory.

    `cluster` and `user` choose other entries of the kubeconfig than the context does; `impersonate_extra` holds
    KEY=VALUE.
    """

    server: str = ""
    cluster: str = ""
    user: str = ""
    token: str = ""
    username: str = ""
    password: str = ""
    client_certificate: str = ""
    client_key: str = ""
    certificate_authority: str = ""
    insecure: bool = False
    tls_server_name: str = ""
    proxy_url: str = ""
    disable_compression: bool = False
    impersonate: str = ""
    impersonate_uid: str = ""
    impersonate_groups: tuple[str, ...] = ()
    impersonate_extra: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Never the token or the password."""
        return f"Overrides(given={[each.name for each in fields(self) if getattr(self, each.name)]})"

    def __bool__(self) -> bool:
        """True where any flag was given."""
        return any(getattr(self, each.name) for each in fields(self))

    def on_cluster(self, entry: ClusterEntry) -> ClusterEntry:
        """The cluster's entry as the flags leave it."""
        entry = replace(
            entry,
            server=self.server or entry.server,
            proxy_url=self.proxy_url or entry.proxy_url,
            disable_compression=self.disable_compression or entry.disable_compression,
        )
        if self.insecure or self.certificate_authority:
            # how the server proves itself is said in one place, whole
            entry = replace(entry, insecure=self.insecure, ca_file=self.certificate_authority, ca_data=b"")
        if self.server or self.tls_server_name:
            entry = replace(entry, tls_server_name=self.tls_server_name)
        return entry

    def on_user(self, entry: UserEntry) -> UserEntry:
        """The user's entry as the flags leave it. Raises UsageError for an extra field without a value."""
        entry = replace(
            entry,
            # a tokenFile stays, and wins over the token, as it does for kubectl
            token=self.token or entry.token,
            username=self.username or entry.username,
            password=self.password or entry.password,
            impersonate=self.impersonate or entry.impersonate,
            impersonate_uid=self.impersonate_uid or entry.impersonate_uid,
            impersonate_groups=self.impersonate_groups or entry.impersonate_groups,
            impersonate_extra=self._extra(entry.impersonate_extra),
        )
        if self.client_certificate:
            entry = replace(entry, certificate_file=self.client_certificate, certificate_data=b"")
        if self.client_key:
            entry = replace(entry, key_file=self.client_key, key_data=b"")
        return entry

    def _extra(self, written: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        """The kubeconfig's extra fields, those of the flags in the place of the same key."""
        given = []
        for pair in self.impersonate_extra:
            key, equals, value = pair.partition("=")
            if not (key and equals):
                raise UsageError(f"--as-user-extra wants KEY=VALUE, not {pair!r}")
            given.append((key, value))
        keys = {key for key, _ in given}
        return (*(pair for pair in written if pair[0] not in keys), *given)
