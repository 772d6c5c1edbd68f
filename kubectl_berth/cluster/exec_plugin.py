"""Runs the credential plugin that a kubeconfig names, by the ExecCredential protocol and with kubectl's own checks."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from kubectl_berth.cluster.authority import read_authority
from kubectl_berth.cluster.child import has_terminal, run_child
from kubectl_berth.cluster.kubeconfig import ClusterEntry, ExecEntry
from kubectl_berth.environment import Environment
from kubectl_berth.errors import ClusterUnreachable, UsageError

_V1 = "client.authentication.k8s.io/v1"
_V1BETA1 = "client.authentication.k8s.io/v1beta1"
_OLD = (_V1BETA1, "client.authentication.k8s.io/v1alpha1")
_MODES = ("Never", "IfAvailable", "Always")

_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2})")

QUIET_LIMIT = 60.0
"""Seconds a plugin may take where nobody can answer it."""

TERMINAL_LIMIT = 900.0
"""Seconds a plugin may take where a person may be logging in: as long as the code of a device login lives."""


def check_plugin(plugin: ExecEntry, user: str) -> None:
    """Raises UsageError where the entry of `user` leaves out what the protocol demands."""
    wrong = ""
    if not plugin.command:
        wrong = "names no command"
    elif not plugin.api_version:
        wrong = f"does not state its apiVersion ({_V1})"
    elif not plugin.interactive_mode and plugin.api_version not in _OLD:
        wrong = "does not state interactiveMode (Never, IfAvailable or Always)"
    elif plugin.interactive_mode and plugin.interactive_mode not in _MODES:
        wrong = f"has interactiveMode {plugin.interactive_mode!r}; it must be Never, IfAvailable or Always"
    elif any(not name for name, _ in plugin.variables):
        wrong = "has an environment variable without a name"
    if wrong:
        raise UsageError(f"credential plugin of user {user!r} {wrong}; correct the kubeconfig")


def check_version(plugin: ExecEntry, user: str) -> None:
    """Raises UsageError where the entry of `user` asks for another version of the protocol than there is."""
    if plugin.api_version not in (_V1, _V1BETA1):
        raise UsageError(
            f"credential plugin of user {user!r} has apiVersion {plugin.api_version!r}; {_V1} and {_V1BETA1} are "
            "understood; correct the kubeconfig"
        )


def run_plugin(plugin: ExecEntry, user: str, cluster: ClusterEntry, environment: Environment) -> dict[str, str]:
    """The `status` of the ExecCredential that the plugin prints: token, clientCertificateData, clientKeyData (PEM).

    Its stderr is the person's own, its stdin too where it may be interactive. Raises ClusterUnreachable for a plugin
    that is missing, fails, takes too long or prints something else: a request is never sent without its credentials.
    """
    terminal = _is_terminal(environment)
    mode = plugin.interactive_mode or "IfAvailable"
    if mode == "Always" and not terminal:
        raise _failed(plugin, user, "it wants a terminal and standard input is none; run it in a terminal first")
    interactive = terminal and mode != "Never"
    program = _find(plugin, user, environment)
    # a name may hold the sign that ends it, as for kubectl
    added = (f"{name}={value}".partition("=") for name, value in plugin.variables)
    variables = {**environment.variables, **{name: value for name, _, value in added}}
    variables["KUBERNETES_EXEC_INFO"] = json.dumps(_exec_info(plugin, cluster, interactive), default=str)
    watched = has_terminal()
    limit = TERMINAL_LIMIT if watched else QUIET_LIMIT
    try:
        status, output = run_child(
            [program, *plugin.arguments], variables, limit, reads=interactive, own_group=not watched
        )
    except subprocess.TimeoutExpired as error:
        raise _failed(plugin, user, f"it did not end within {limit:.0f} s") from error
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise _failed(plugin, user, f"it cannot be run ({why})") from error
    if status:
        raise _failed(plugin, user, f"it failed with exit code {status}")
    return _status(plugin, user, output)


def _is_terminal(environment: Environment) -> bool:
    # what the child inherits is the process's own standard input, so both must be a terminal
    try:
        return environment.stdin.isatty() and sys.__stdin__ is not None and os.isatty(sys.__stdin__.fileno())
    except (ValueError, OSError, AttributeError):
        return False


def _find(plugin: ExecEntry, user: str, environment: Environment) -> str:
    found = shutil.which(plugin.command, path=environment.variables.get("PATH", ""))
    # a program that only lies where somebody happens to stand is not the one that is meant
    if found is None or not Path(found).is_absolute():
        raise _failed(plugin, user, "no such executable")
    return found


def _failed(plugin: ExecEntry, user: str, why: str) -> ClusterUnreachable:
    name = Path(plugin.command).name
    hint = " ".join(_printable(plugin.install_hint).split())
    advice = f"; {hint}" if hint else ""
    return ClusterUnreachable(
        f"no credentials for user {user!r}: credential plugin {_printable(name)}: {why}; nothing was sent{advice}"
    )


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() or c.isspace() else f"U+{ord(c):04X}" for c in text)


def _exec_info(plugin: ExecEntry, cluster: ClusterEntry, interactive: bool) -> dict[str, Any]:
    spec: dict[str, Any] = {}
    if plugin.provide_cluster_info:
        given = {
            "server": cluster.server,
            "tls-server-name": cluster.tls_server_name,
            "insecure-skip-tls-verify": cluster.insecure,
            "certificate-authority-data": base64.b64encode(read_authority(cluster)).decode(),
            "proxy-url": cluster.proxy_url,
            "disable-compression": cluster.disable_compression,
        }
        # `config` is there even where it says nothing
        spec["cluster"] = {**{key: value for key, value in given.items() if value}, "config": cluster.exec_config}
    spec["interactive"] = interactive
    return {"kind": "ExecCredential", "apiVersion": plugin.api_version, "spec": spec}


def _status(plugin: ExecEntry, user: str, output: bytes) -> dict[str, str]:
    answer = _parsed(output)
    if not isinstance(answer, dict) or answer.get("kind") != "ExecCredential":
        raise _failed(plugin, user, "it printed no ExecCredential")
    if answer.get("apiVersion") != plugin.api_version:
        raise _failed(plugin, user, f"it answered in another apiVersion than {plugin.api_version}, which is configured")
    status = answer.get("status")
    if not isinstance(status, dict):
        raise _failed(plugin, user, "its ExecCredential has no status")
    found = {
        key: value
        for key in ("token", "clientCertificateData", "clientKeyData")
        if isinstance(value := status.get(key), str) and value
    }
    until = status.get("expirationTimestamp")
    if until is not None and not (isinstance(until, str) and _TIME.fullmatch(until)):
        raise _failed(plugin, user, "its ExecCredential has an expirationTimestamp that is no time (RFC 3339)")
    if not found:
        raise _failed(plugin, user, "its ExecCredential holds neither a token nor a certificate with its key")
    if ("clientCertificateData" in found) != ("clientKeyData" in found):
        raise _failed(plugin, user, "its ExecCredential holds a certificate without its key, or a key without it")
    return found


def _parsed(output: bytes) -> Any:
    """What was printed, JSON or, as for kubectl, YAML; None where it is neither."""
    if output.lstrip().startswith(b"{"):
        try:
            return json.loads(output, parse_constant=_no_number)
        except ValueError:
            return None
    import yaml

    from kubectl_berth.cluster.kubeconfig_yaml import read_yaml

    try:
        return read_yaml(output)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")
