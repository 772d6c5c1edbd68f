"""What proves to the API server who is asking: checked entries of a kubeconfig, turned into tokens and certificates."""

from __future__ import annotations

import string
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from kubectl_berth.cluster.exec_plugin import check_plugin, check_version, run_plugin
from kubectl_berth.cluster.kubeconfig import ClusterEntry, UserEntry
from kubectl_berth.environment import Environment
from kubectl_berth.errors import ClusterUnreachable, UsageError


@dataclass(frozen=True)
class Credentials:
    """What is sent: the Authorization header ("" for none), a client certificate and its key as PEM or as files."""

    authorization: str = ""
    certificate: bytes | Path = b""
    key: bytes | Path = b""

    def __repr__(self) -> str:
        """Never the values: an error report must not hold them."""
        return f"Credentials(authorization={bool(self.authorization)}, certificate={bool(self.certificate)})"


def check_user(user: UserEntry) -> None:
    """Raises UsageError for what kubectl refuses in a user's entry whatever server is asked."""
    wrong = ""
    if user.auth_provider and user.plugin:
        wrong = "has both an auth-provider and an exec plugin; keep one"
    elif user.token and (user.username or user.password):
        wrong = "has both a token and a password; keep one"
    elif user.certificate_file and user.certificate_data:
        wrong = "has both client-certificate and client-certificate-data; keep one"
    elif user.key_file and user.key_data:
        wrong = "has both client-key and client-key-data; keep one"
    elif (user.certificate_file or user.certificate_data) and not (user.key_file or user.key_data):
        wrong = "has a client certificate without its key (client-key or client-key-data)"
    elif (user.impersonate_uid or user.impersonate_groups or user.impersonate_extra) and not user.impersonate:
        wrong = "impersonates a uid, groups or extra fields without a user (as)"
    if wrong:
        raise UsageError(f"user {user.name!r} of the kubeconfig {wrong}")
    if user.plugin:
        check_plugin(user.plugin, user.name)
    if user.certificate_file or user.certificate_data:
        for path in filter(None, (user.certificate_file, user.key_file)):
            _readable(path, f"user {user.name!r}")


def check_credentials(user: UserEntry) -> None:
    """Raises UsageError for what cannot prove who is asking, and for what berth cannot do like kubectl."""
    if user.auth_provider:
        raise UsageError(
            f"user {user.name!r} of the kubeconfig uses the auth-provider {user.auth_provider!r}, which berth does not "
            "support; use a credential plugin (exec) such as kubelogin or gke-gcloud-auth-plugin"
        )
    if user.token_file and user.username:
        raise UsageError(f"user {user.name!r} of the kubeconfig has both a tokenFile and a password; keep one")
    if user.plugin:
        check_version(user.plugin, user.name)
    if user.token_file and not user.token:
        _readable(user.token_file, f"user {user.name!r}")


def _readable(path: str, whose: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{whose} of the kubeconfig: {path} cannot be read ({error.strerror})") from error


def find_credentials(user: UserEntry, cluster: ClusterEntry, environment: Environment) -> Credentials:
    """The user's credentials as of now: files are read and the plugin is run anew at every call.

    Raises ClusterUnreachable where there are none, or where the plugin fails.
    """
    token = _token(user)
    found = Credentials(
        f"Bearer {token}".rstrip() if token else "",
        Path(user.certificate_file) if user.certificate_file else user.certificate_data,
        Path(user.key_file) if user.key_file else user.key_data,
    )
    if not token and user.username:
        found = replace(found, authorization=_basic(user.username, user.password))
    # kubectl runs a plugin only where nothing else proves who is asking
    if user.plugin and not (found.authorization or found.certificate):
        status = run_plugin(user.plugin, user.name, cluster, environment)
        issued = _sendable(status.get("token", "").strip(), user)
        found = replace(found, authorization=f"Bearer {issued}" if issued else "")
        if "clientCertificateData" in status:
            certificate, key = status["clientCertificateData"].encode(), status["clientKeyData"].encode()
            found = replace(found, certificate=certificate, key=key)
    if not found.authorization and not found.certificate:
        who = f"user {user.name!r}" if user.name else "the context, which names no user"
        raise ClusterUnreachable(f"no credentials for {who}: add a token, certificate or plugin to the kubeconfig")
    return found


def _token(user: UserEntry) -> str:
    token = user.token
    if user.token_file:
        try:
            token = _readable(user.token_file, f"user {user.name!r}").decode("utf-8", "replace").strip() or token
        except UsageError:
            if not token:
                raise
    return _sendable(token, user)


def _sendable(token: str, user: UserEntry) -> str:
    if not all(c in _HEADER_CHARACTERS for c in token):
        raise UsageError(f"the token of user {user.name!r} holds a character that no header may hold; renew it")
    return token


_HEADER_CHARACTERS = frozenset(string.ascii_letters + string.digits + string.punctuation + " ")


def _basic(username: str, password: str) -> str:
    import base64

    return "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()


def impersonation(user: UserEntry) -> tuple[tuple[str, str], ...]:
    """The Impersonate-* headers, a name once for each of its values, which are text."""
    if not user.impersonate:
        return ()
    headers = [("Impersonate-User", user.impersonate)]
    if user.impersonate_uid:
        headers.append(("Impersonate-Uid", user.impersonate_uid))
    headers += [("Impersonate-Group", group) for group in user.impersonate_groups]
    # a key may hold what no header name may, such as a slash: those are percent-encoded
    headers += [(f"Impersonate-Extra-{quote(k, safe=_TOKEN_SAFE)}", v) for k, v in user.impersonate_extra]
    for name, value in headers:
        if not value.isprintable():
            raise UsageError(f"user {user.name!r} of the kubeconfig: {name} holds a control character")
    return tuple((name, value.strip()) for name, value in headers)


_TOKEN_SAFE = "!#$&'*+-.^_`|~"
