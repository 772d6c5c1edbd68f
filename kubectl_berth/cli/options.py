"""Options that several commands share, spelled as kubectl spells them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from kubectl_berth.cli import candidates
from kubectl_berth.cluster.overrides import Overrides
from kubectl_berth.durations import seconds_of

F = TypeVar("F", bound=Callable[..., Any])


class Duration(click.ParamType[float | None]):
    """kubectl's durations: whole seconds, or 1m30s; 0 means no limit. Gives seconds, None for an empty one."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | None:
        text = str(value)
        if not text:
            return None
        seconds = seconds_of(text)
        if seconds is None:
            self.fail(f"{text!r} is no duration; give whole seconds or a time like 1m30s", param, ctx)
        return seconds


def source_options(command: F) -> F:
    """Which cluster: a context of a kubeconfig, a snapshot directory or a scenario. Goes with `connection_flags`."""
    return kubeconfig_options(_with(command, *_OFFLINE))


def kubeconfig_options(command: F) -> F:
    """Which context of which kubeconfig. Goes with `connection_flags`."""
    return _with(command, *_KUBECONFIG)


def connection_flags(command: F) -> F:
    """kubectl's flags that lie on top of the kubeconfig; they arrive together, as `overrides`.

    They are many and seldom used: put them last, so that help shows them last.
    """

    @functools.wraps(command)
    def gathered(*arguments: Any, cache_dir: str | None, **options: Any) -> Any:
        given = {name: options.pop(name) or default for name, default in _UNSET.items()}
        return command(*arguments, overrides=Overrides(**given), **options)

    return _with(gathered, *_CONNECTION)  # type: ignore[return-value]


def _with(command: F, *options: Callable[[F], F]) -> F:
    for option in reversed(options):
        command = option(command)
    return command


_UNSET: dict[str, Any] = {name: field.default for name, field in Overrides.__dataclass_fields__.items()}

_OFFLINE: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--snapshot",
        metavar="DIR",
        shell_complete=candidates.directories,
        help="Read a snapshot directory instead of a live cluster.",
    ),
    click.option(
        "--scenario",
        metavar="NAME",
        shell_complete=candidates.scenarios,
        help="Read a shipped scenario, or one's directory.",
    ),
    click.option("--twin", is_flag=True, help="Take the scenario's healthy twin."),
)

_KUBECONFIG: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--context",
        "kube_context",
        metavar="NAME",
        shell_complete=candidates.contexts,
        help="Context of the kubeconfig to use.",
    ),
    click.option(
        "-n",
        "--namespace",
        metavar="NAME",
        # an empty one is none, as for kubectl: scripts pass "$NAMESPACE"
        callback=lambda _context, _parameter, value: value or None,
        shell_complete=candidates.namespaces,
        help="Read this namespace only.",
    ),
    click.option("--kubeconfig", metavar="FILE", shell_complete=candidates.files, help="The kubeconfig file to use."),
    click.option(
        "--request-timeout",
        type=Duration(),
        metavar="DURATION",
        help="Give up on one request to the API server after this long (5s, 1m30s); 0 means never.",
    ),
)

_CONNECTION: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--cluster",
        metavar="NAME",
        shell_complete=candidates.clusters,
        help="Another cluster of the kubeconfig than the context's.",
    ),
    click.option(
        "--user",
        metavar="NAME",
        shell_complete=candidates.users,
        help="Another user of the kubeconfig than the context's.",
    ),
    click.option("-s", "--server", metavar="URL", help="The API server's address."),
    click.option("--token", metavar="TOKEN", help="A bearer token for the API server."),
    click.option("--username", metavar="NAME", help="The name for basic authentication."),
    click.option("--password", metavar="TEXT", help="The password for basic authentication."),
    click.option("--client-certificate", metavar="FILE", shell_complete=candidates.files, help="A client certificate."),
    click.option("--client-key", metavar="FILE", shell_complete=candidates.files, help="The client certificate's key."),
    click.option(
        "--certificate-authority",
        metavar="FILE",
        shell_complete=candidates.files,
        help="The authority that vouches for the server.",
    ),
    click.option(
        "--insecure-skip-tls-verify", "insecure", is_flag=True, help="Do not check the server's certificate: insecure."
    ),
    click.option("--tls-server-name", metavar="NAME", help="The name the server's certificate must bear."),
    click.option("--proxy-url", metavar="URL", help="The proxy to the API server."),
    click.option("--disable-compression", is_flag=True, help="Ask for answers without compression."),
    click.option("--as", "impersonate", metavar="USER", help="Act as this user."),
    click.option("--as-group", "impersonate_groups", multiple=True, metavar="GROUP", help="Act as in this group, too."),
    click.option("--as-uid", "impersonate_uid", metavar="UID", help="Act with this uid."),
    click.option(
        "--as-user-extra", "impersonate_extra", multiple=True, metavar="KEY=VALUE", help="Act with this extra field."
    ),
    click.option("--cache-dir", metavar="DIR", hidden=True, help="Taken for kubectl's sake; berth caches nothing."),
)
