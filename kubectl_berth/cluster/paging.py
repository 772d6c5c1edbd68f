"""Lists in pages: limit, continue tokens and resource versions as the server reads them."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from kubectl_berth.cluster.failures import ApiFailure, bad_request, expired, invalid, too_large, too_old

_TOKEN_VERSION = "meta.k8s.io/v1"


@dataclass(frozen=True)
class ListOptions:
    """What a list request asks for, parsed. `start` is the key after which the page begins."""

    labels: str = ""
    fields: str = ""
    limit: int = 0
    start: str = ""


def number(text: str, *, signed: bool = True) -> int:
    """The integer of a query value, 0 for none; ApiFailure 400 in strconv's words."""
    if not text:
        return 0
    if not re.fullmatch(r"[+-]?\d+" if signed else r"\d+", text):
        function = "ParseInt" if signed else "ParseUint"
        raise bad_request(f'strconv.{function}: parsing "{text}": invalid syntax')
    return int(text)


def list_options(
    current: int,
    labels: str = "",
    fields: str = "",
    limit: str = "",
    token: str = "",
    resource_version: str = "",
    match: str = "",
) -> ListOptions:
    """The query values of a list, checked against the `current` resource version of the store.

    Raises ApiFailure: 400 for what cannot be read, 410 for what is too old, 422 and 504 for impossible versions.
    """
    wanted = number(limit)
    _check_version(current, resource_version, match, bool(token))
    # a list from the watch cache is never paged
    pages = wanted if wanted > 0 and resource_version != "0" else 0
    return ListOptions(labels, fields, pages, _start(token, current) if token else "")


def _check_version(current: int, resource_version: str, match: str, continued: bool) -> None:
    if match and not resource_version:
        words = "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"
        raise invalid("ListOptions", "", "resourceVersionMatch", words, "meta.k8s.io", "FieldValueForbidden")
    if not resource_version:
        return
    if continued and resource_version != "0":
        raise bad_request("specifying resource version is not allowed when using continue")
    if not resource_version.isdigit():
        raise bad_request(
            f'invalid resource version: resourceVersion: Invalid value: "{resource_version}": '
            f'strconv.ParseUint: parsing "{resource_version}": invalid syntax'
        )
    if int(resource_version) > current:
        raise too_large(int(resource_version), current)
    if match == "Exact" and int(resource_version) < current:
        raise too_old()


def token_after(key: str, current: int) -> str:
    """The continue token of a page that ends with `key`."""
    content = {"v": _TOKEN_VERSION, "rv": current, "start": key + "\0"}
    encoded = base64.urlsafe_b64encode(json.dumps(content, separators=(",", ":")).encode())
    return encoded.decode().rstrip("=")


def _start(token: str, current: int) -> str:
    content = _decoded(token)
    start, version = content.get("start"), content.get("rv")
    if content.get("v") != _TOKEN_VERSION:
        raise _bad_token(f"server does not recognize this encoded version {content.get('v', '')}")
    if not isinstance(start, str) or not start or not isinstance(version, int) or version == 0:
        raise _bad_token("incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
    start = start.lstrip("/").rstrip("\0")
    if version not in (current, -1):
        raise expired(token_after(start, -1))
    return start


def _decoded(token: str) -> dict[str, object]:
    if not re.fullmatch(r"[A-Za-z0-9_-]*", token):
        at = next(at for at, letter in enumerate(token) if not re.match(r"[A-Za-z0-9_-]", letter))
        raise _bad_token(f"illegal base64 data at input byte {at}")
    try:
        text = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode(errors="replace")
    except binascii.Error:
        raise _bad_token(f"illegal base64 data at input byte {len(token)}") from None
    try:
        content = json.loads(text)
    except ValueError:
        raise _bad_token(
            f"invalid character '{text[:1]}' looking for beginning of value" if text else "unexpected end of JSON input"
        ) from None
    return content if isinstance(content, dict) else {}


def _bad_token(words: str) -> ApiFailure:
    return bad_request(f"invalid continue token: continue key is not valid: {words}")


@dataclass(frozen=True)
class Page:
    """One page of a list: keys in order. `remaining` is None where the server does not count."""

    keys: list[str]
    token: str = ""
    remaining: int | None = None


def page(keys: Iterable[str], options: ListOptions, current: int) -> Page:
    """The page of the sorted, already selected `keys` that the options ask for."""
    rest = [key for key in keys if key > options.start] if options.start else list(keys)
    if not options.limit or len(rest) <= options.limit:
        return Page(rest)
    shown = rest[: options.limit]
    counted = not options.labels and not options.fields
    return Page(shown, token_after(shown[-1], current), len(rest) - len(shown) if counted else None)
