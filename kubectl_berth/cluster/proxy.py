"""Which proxy a request goes through: the kubeconfig's own, else the one of the environment, by kubectl's rules."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

from kubectl_berth.errors import UsageError


def proxy_for(server: str, proxy_url: str, variables: Mapping[str, str]) -> str | None:
    """The proxy's URL, None for none. `proxy_url`, from the kubeconfig, is used whatever NO_PROXY says."""
    if proxy_url:
        return _usable(proxy_url, "proxy-url of the kubeconfig")
    parts = urlsplit(server)
    name = f"{parts.scheme}_proxy"
    found = variables.get(name.upper()) or variables.get(name) or ""
    if not found or _direct(parts, variables.get("NO_PROXY") or variables.get("no_proxy") or ""):
        return None
    return _usable(found if "://" in found else f"http://{found}", name.upper())


def _usable(url: str, where: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        usable = usable and url.isprintable() and " " not in url
    except ValueError:
        usable = False
    if not usable:
        scheme, separator, _ = url.partition("://")
        what = scheme if separator else repr(url)
        raise UsageError(f"{where}: {what}: only http and https proxies are supported")
    return url


def _direct(server: SplitResult, no_proxy: str) -> bool:
    host = (server.hostname or "").lower()
    port = str(server.port or (443 if server.scheme == "https" else 80))
    address = _address(host)
    if host == "localhost" or (address and address.is_loopback):
        return True
    return any(_matches(entry.strip().lower(), host, port, address) for entry in no_proxy.split(",") if entry.strip())


_ENTRY = re.compile(r"(?P<host>\[[^\]]+\]|[^:]+|[0-9a-f:]+)(?::(?P<port>\d+))?")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def _address(text: str) -> Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _matches(entry: str, host: str, port: str, address: Address | None) -> bool:
    """One entry of NO_PROXY: `*`, an address, a network, a domain with those below it (`.domain`: only those)."""
    if entry == "*":
        return True
    if address and "/" in entry:
        try:
            return address in ipaddress.ip_network(entry, strict=False)
        except ValueError:
            return False
    written = _ENTRY.fullmatch(entry)
    if written is None or (written["port"] and written["port"] != port):
        return False
    name = written["host"]
    if address:
        return _address(name.strip("[]") if ":" in name else name) == address
    name = name.removeprefix("*")
    return host.endswith(name) if name.startswith(".") else host == name or host.endswith(f".{name}")
