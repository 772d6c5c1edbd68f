"""Reads kubeconfig files the way kubectl does: which files, how they merge, what a context names."""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from kubectl_berth.environment import Environment
from kubectl_berth.errors import UsageError

Entry = TypeVar("Entry")

EXEC_EXTENSION = "client.authentication.k8s.io/exec"


@dataclass(frozen=True)
class ClusterEntry:
    """One entry of `clusters`. `ca_file` is absolute, `ca_data` PEM bytes, `exec_config` what plugins get to see."""

    name: str
    server: str = ""
    tls_server_name: str = ""
    insecure: bool = False
    ca_file: str = ""
    ca_data: bytes = b""
    proxy_url: str = ""
    disable_compression: bool = False
    exec_config: Any = None


@dataclass(frozen=True)
class ExecEntry:
    """A credential plugin: the program, its words, the variables added to its environment."""

    command: str
    arguments: tuple[str, ...]
    variables: tuple[tuple[str, str], ...]
    api_version: str
    interactive_mode: str
    provide_cluster_info: bool
    install_hint: str


@dataclass(frozen=True)
class UserEntry:
    """One entry of `users`. Files are absolute, data is PEM bytes; `extra` repeats a key for each of its values."""

    name: str
    token: str = ""
    token_file: str = ""
    certificate_file: str = ""
    certificate_data: bytes = b""
    key_file: str = ""
    key_data: bytes = b""
    username: str = ""
    password: str = ""
    plugin: ExecEntry | None = None
    auth_provider: str = ""
    impersonate: str = ""
    impersonate_uid: str = ""
    impersonate_groups: tuple[str, ...] = ()
    impersonate_extra: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class ContextEntry:
    """One entry of `contexts`."""

    name: str
    cluster: str = ""
    user: str = ""
    namespace: str = ""


@dataclass
class Kubeconfig:
    """What all files say together; `files` are those that were read, `missing` what of KUBECONFIG is not there."""

    current_context: str = ""
    contexts: dict[str, ContextEntry] = field(default_factory=dict)
    clusters: dict[str, ClusterEntry] = field(default_factory=dict)
    users: dict[str, UserEntry] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)
    missing: list[Path] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """True where no file says anything."""
        return not (self.current_context or self.contexts or self.clusters or self.users)

    def merge(self, other: Kubeconfig) -> None:
        """Adds what `other` says where nothing stands yet: the first file wins for every name."""
        self.current_context = self.current_context or other.current_context
        self.contexts = {**other.contexts, **self.contexts}
        self.clusters = {**other.clusters, **self.clusters}
        self.users = {**other.users, **self.users}
        self.files += other.files


def read_kubeconfig(path: str | None, environment: Environment) -> Kubeconfig:
    """The merged kubeconfig: of the one file `path`, else of the list in KUBECONFIG, else of ~/.kube/config.

    A file named by `path` must exist; the others may be missing or empty. Raises UsageError for a file that cannot be
    read or understood.
    """
    if path:
        only = _read_file(Path(path))
        if only is None:
            raise UsageError(f"kubeconfig {path}: no such file; name an existing one with --kubeconfig")
        return only
    merged = Kubeconfig()
    for candidate in _candidates(environment):
        found = _read_file(candidate)
        if found is not None:
            merged.merge(found)
        elif environment.variables.get("KUBECONFIG"):
            merged.missing.append(candidate)
    return merged


def _candidates(environment: Environment) -> list[Path]:
    """The files that KUBECONFIG lists, each once, as written (no `~`); else the one in the home directory."""
    listed = environment.variables.get("KUBECONFIG", "")
    if listed:
        return [Path(name) for name in dict.fromkeys(listed.split(os.pathsep)) if name]
    return [Path(environment.home) / ".kube" / "config"] if environment.home else []


def _read_file(path: Path) -> Kubeconfig | None:
    """What one file says, None where there is no such file."""
    import yaml

    from kubectl_berth.cluster.kubeconfig_yaml import read_yaml

    try:
        text = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(f"kubeconfig {path}: cannot be read ({error.strerror}); check the file") from error
    try:
        document = read_yaml(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        nested = isinstance(error, RecursionError)
        problem = "nested too deeply" if nested else getattr(error, "problem", None) or "not text"
        raise UsageError(f"kubeconfig {path}{where}: not valid YAML ({problem}); correct the file") from error
    if document is None:
        return Kubeconfig(files=[path])
    return _File(path).whole(document)


class _File:
    """One parsed file: turns its raw mappings into entries and names the place of whatever is wrong."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.directory = path.absolute().parent

    def wrong(self, where: str, what: str) -> UsageError:
        return UsageError(f"kubeconfig {self.path}: {where} {what}")

    def whole(self, document: Any) -> Kubeconfig:
        root = self.mapping(document, "the file")
        if (root.get("kind") or "Config") != "Config" or (root.get("apiVersion") or "v1") != "v1":
            raise self.wrong("the file", "is not a kubeconfig (kind Config, apiVersion v1)")
        self.mapping(root.get("preferences"), "preferences")
        self.sequence(root.get("extensions"), "extensions")
        return Kubeconfig(
            self.text(root, "current-context", "the file"),
            self.named(root, "contexts", "context", self.context),
            self.named(root, "clusters", "cluster", self.cluster),
            self.named(root, "users", "user", self.user),
            [self.path],
        )

    def mapping(self, value: Any, where: str) -> Mapping[str, Any]:
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise self.wrong(where, "must be a mapping")
        return value

    def sequence(self, value: Any, where: str) -> Sequence[Any]:
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.wrong(where, "must be a list")
        return value

    def text(self, raw: Mapping[str, Any], key: str, where: str) -> str:
        value = raw.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self.wrong(f"{where}: {key}", "must be a string; put it in quotes")
        return value

    def flag(self, raw: Mapping[str, Any], key: str, where: str) -> bool:
        value = raw.get(key)
        if value is not None and not isinstance(value, bool):
            raise self.wrong(f"{where}: {key}", "must be true or false")
        return bool(value)

    def data(self, raw: Mapping[str, Any], key: str, where: str) -> bytes:
        try:
            return base64.b64decode(self.text(raw, key, where).replace("\r", "").replace("\n", ""), validate=True)
        except (binascii.Error, ValueError) as error:
            raise self.wrong(f"{where}: {key}", "is not base64") from error

    def file(self, raw: Mapping[str, Any], key: str, where: str) -> str:
        """A path as the file gives it, relative ones taken from the directory of the file."""
        value = self.text(raw, key, where)
        return str(self.directory / value) if value else ""

    def texts(self, value: Any, where: str) -> tuple[str, ...]:
        items = self.sequence(value, where)
        if not all(isinstance(item, str) for item in items):
            raise self.wrong(where, "must hold strings; put them in quotes")
        return tuple(items)

    def key(self, value: Any, where: str) -> str:
        """A key as JSON would write it."""
        if value is None:
            raise self.wrong(where, "has a key that is null")
        return str(value).lower() if isinstance(value, bool) else str(value)

    def named(
        self, root: Mapping[str, Any], key: str, inner: str, parse: Callable[[str, Mapping[str, Any]], Entry]
    ) -> dict[str, Entry]:
        entries: dict[str, Entry] = {}
        for raw in self.sequence(root.get(key), key):
            item = self.mapping(raw, key)
            name = self.text(item, "name", key)
            if name in entries:
                raise self.wrong(key, f"names {name!r} twice")
            entries[name] = parse(name, self.mapping(item.get(inner), f"{inner} {name!r}"))
        return entries

    def context(self, name: str, raw: Mapping[str, Any]) -> ContextEntry:
        where = f"context {name!r}"
        self.sequence(raw.get("extensions"), f"{where}: extensions")
        return ContextEntry(
            name, self.text(raw, "cluster", where), self.text(raw, "user", where), self.text(raw, "namespace", where)
        )

    def cluster(self, name: str, raw: Mapping[str, Any]) -> ClusterEntry:
        where = f"cluster {name!r}"
        entry = ClusterEntry(
            name,
            server=self.text(raw, "server", where),
            tls_server_name=self.text(raw, "tls-server-name", where),
            insecure=self.flag(raw, "insecure-skip-tls-verify", where),
            ca_file=self.file(raw, "certificate-authority", where),
            ca_data=self.data(raw, "certificate-authority-data", where),
            proxy_url=self.text(raw, "proxy-url", where),
            disable_compression=self.flag(raw, "disable-compression", where),
        )
        for extension in self.sequence(raw.get("extensions"), f"{where}: extensions"):
            item = self.mapping(extension, f"{where}: extensions")
            if item.get("name") == EXEC_EXTENSION:
                entry = replace(entry, exec_config=item.get("extension"))
        return entry

    def user(self, name: str, raw: Mapping[str, Any]) -> UserEntry:
        where = f"user {name!r}"
        self.sequence(raw.get("extensions"), f"{where}: extensions")
        provider = raw.get("auth-provider")
        extra = self.mapping(raw.get("as-user-extra"), f"{where}: as-user-extra")
        return UserEntry(
            name,
            token=self.text(raw, "token", where),
            token_file=self.file(raw, "tokenFile", where),
            certificate_file=self.file(raw, "client-certificate", where),
            certificate_data=self.data(raw, "client-certificate-data", where),
            key_file=self.file(raw, "client-key", where),
            key_data=self.data(raw, "client-key-data", where),
            username=self.text(raw, "username", where),
            password=self.text(raw, "password", where),
            plugin=self.plugin(raw["exec"], f"{where}: exec") if raw.get("exec") is not None else None,
            auth_provider="" if provider is None else self.provider(provider, f"{where}: auth-provider"),
            impersonate=self.text(raw, "as", where),
            impersonate_uid=self.text(raw, "as-uid", where),
            impersonate_groups=self.texts(raw.get("as-groups"), f"{where}: as-groups"),
            impersonate_extra=tuple(
                (self.key(key, f"{where}: as-user-extra"), value)
                for key, values in extra.items()
                for value in self.texts(values, f"{where}: as-user-extra")
            ),
        )

    def provider(self, value: Any, where: str) -> str:
        """Its name; one without a name is one all the same."""
        return self.text(self.mapping(value, where), "name", where) or "without a name"

    def plugin(self, value: Any, where: str) -> ExecEntry:
        raw = self.mapping(value, where)
        variables = []
        for item in self.sequence(raw.get("env"), f"{where}: env"):
            pair = self.mapping(item, f"{where}: env")
            variables.append((self.text(pair, "name", f"{where}: env"), self.text(pair, "value", f"{where}: env")))
        command = self.text(raw, "command", where)
        if os.sep in command:
            command = str(self.directory / command)
        return ExecEntry(
            command=command,
            arguments=self.texts(raw.get("args"), f"{where}: args"),
            variables=tuple(variables),
            api_version=self.text(raw, "apiVersion", where),
            interactive_mode=self.text(raw, "interactiveMode", where),
            provide_cluster_info=self.flag(raw, "provideClusterInfo", where),
            install_hint=self.text(raw, "installHint", where),
        )
