"""The certificates that a kubeconfig has vouch for the server."""

from __future__ import annotations

import base64
import binascii
import re
from pathlib import Path

from kubectl_berth.cluster.kubeconfig import ClusterEntry
from kubectl_berth.errors import UsageError

_BLOCK = re.compile(rb"^-----BEGIN CERTIFICATE-----\s([A-Za-z0-9+/=\s]*)^-----END CERTIFICATE-----", re.MULTILINE)
_LINE = 64


def read_authority(cluster: ClusterEntry) -> bytes:
    """What certificate-authority or its -data holds, b"" where neither is given. Raises UsageError for both of them
    and for a file that cannot be read.
    """
    if cluster.ca_file and cluster.ca_data:
        raise UsageError(f"cluster {cluster.name!r} has certificate-authority and its -data; keep one of them")
    if not cluster.ca_file:
        return cluster.ca_data
    try:
        return Path(cluster.ca_file).read_bytes()
    except OSError as error:
        raise UsageError(
            f"cluster {cluster.name!r} of the kubeconfig: {cluster.ca_file} cannot be read ({error.strerror})"
        ) from error


def trusted(cluster: ClusterEntry) -> str:
    """The certificates alone, as PEM in ASCII; "" where none is asked for, which trusts what the system trusts.

    Words between them, in whatever encoding, do not count. Raises UsageError where there is no certificate in it: an
    empty file must not open the door to everybody whom the system trusts.
    """
    written = read_authority(cluster)
    if not (cluster.ca_file or cluster.ca_data):
        return ""
    blocks = [pem for block in _BLOCK.findall(written) if (pem := _pem(block))]
    if not blocks:
        where = cluster.ca_file or "certificate-authority-data"
        raise UsageError(f"cluster {cluster.name!r} of the kubeconfig: {where} holds no certificate in PEM")
    return "".join(blocks)


def _pem(block: bytes) -> str:
    try:
        der = base64.b64decode(b"".join(block.split()), validate=True)
    except (binascii.Error, ValueError):
        return ""
    letters = base64.b64encode(der).decode()
    lines = [letters[at : at + _LINE] for at in range(0, len(letters), _LINE)]
    return "\n".join(["-----BEGIN CERTIFICATE-----", *lines, "-----END CERTIFICATE-----", ""])
