"""An answer as a person may read it: nothing in it leads elsewhere unseen, and nothing in it passes for berth's words.

A model may have been told by a log line to print a link that carries data away, or a line that looks like a verdict
of berth. Links show where they lead, addresses outside the cluster cannot be clicked, look-alike letters are named.
"""

from __future__ import annotations

import ipaddress
import re

MOST_QUERY = 64
"""Characters of a URL's query that are shown."""

QUOTED = "│ "
"""What stands before a line of an answer that could be taken for one of berth's own."""

_IMAGE = re.compile(r"!\[(?P<text>[^\]\n]{0,300})\]\((?P<target>[^)\s]{1,4000})[^)\n]{0,300}\)")
_LINK = re.compile(
    r"\[(?P<text>[^\]\n]{1,300})\]\(<?(?P<target>(?:[A-Za-z][A-Za-z0-9+.-]{0,20}:|//)[^)\s>]{1,4000})>?[^)\n]{0,300}\)"
)
_URL = re.compile(
    r"(?i)(?<![a-z0-9+.-])(?P<scheme>https?|ftps?|sftp|ssh|wss?|file|smb)://"
    r"(?:(?P<user>[^\s/?#@<>\"'`]{0,200})@)?(?P<host>\[[0-9a-f:.]{2,45}\]|[^\s/?#:@<>\"'`()\[\]{}|\\,]{0,253})"
    r"(?P<port>:\d{1,5})?"
    r"(?P<path>[^\s?<>\"'`)\]]{0,4000})(?P<query>\?[^\s<>\"'`)\]]{0,8000})?"
)
_SCRIPT = re.compile(r"(?i)(?<![a-z0-9])(javascript|vbscript|data):(?=(?:[a-z]{2,20}/[a-z0-9.+-]{1,60}[;,]|\S*\())")
_MIXED = re.compile(r"[^\W\d_]*(?:[A-Za-z][\u0370-\u052f\uff21-\uff5a]|[\u0370-\u052f\uff21-\uff5a][A-Za-z])\w*")
_FOREIGN = re.compile(r"[\u0370-\u052f\uff21-\uff5a]")
_UNITS = "μΩ"
_PASSES_FOR_OURS = re.compile(
    r"(?im)^(?!│ )(?=[ \t]{0,8}(?:[>*#_`✔✓☑✅🔒-]{1,6}[ \t]{0,3}){0,3}\[?"
    r"(?:berth[^\n]{0,20}:|error:|suspected injection"
    r"|injection check|the model asked berth|the answer was cut off here"
    r"|[^\n]{0,60}\b(?:verified|checked|approved|confirmed) by (?:kubectl )?berth\b"
    r"|[^\n]{0,200}[\[(]y(?:es)?/n(?:o)?[\])]))"
)
_DOCUMENTATION = (
    *("kubernetes.io", "k8s.io", "helm.sh", "prometheus.io", "cert-manager.io", "cloudnative-pg.io", "istio.io"),
    *("postgresql.org", "docs.aws.amazon.com", "cloud.google.com", "learn.microsoft.com", "cncf.io", "etcd.io"),
)


def presentable(answer: str, question: str = "") -> str:
    """The answer without links that hide where they lead, and with each address outside the cluster made harmless.

    Addresses that stand in the question, lie inside the cluster, or belong to well-known documentation stay.
    """
    if "](" in answer:
        answer = _IMAGE.sub(lambda m: f"[image not shown: {m['text']}] {m['target']}", answer)
        answer = _LINK.sub(_link, answer)
    if "://" in answer:
        answer = _URL.sub(lambda m: _address(m, question), answer)
    answer = _SCRIPT.sub(r"\1[:]", answer)
    if not answer.isascii():
        answer = _MIXED.sub(lambda m: _named(m.group()), answer)
    return _PASSES_FOR_OURS.sub(QUOTED, answer)


def _link(match: re.Match[str]) -> str:
    text, target = match["text"].strip(), match["target"]
    return target if text in (target, target.removeprefix("https://")) else f"{text} ({target})"


def _address(match: re.Match[str], question: str) -> str:
    scheme, host, query = match["scheme"], match["host"], match["query"] or ""
    if len(query) > MOST_QUERY:
        query = f"{query[:MOST_QUERY]}…"
    user = f"{match['user']}@" if match["user"] else ""
    rest = f"{match['port'] or ''}{match['path']}{query}"
    if _trusted(host) or (host and host.lower() in question.lower()):
        return f"{scheme}://{user}{host}{rest}"
    harmless = scheme.lower().replace("tt", "xx", 1) if scheme.lower().startswith("http") else scheme
    return f"{harmless}[:]//{user}{host.replace('.', '[.]')}{rest}"


def _trusted(host: str) -> bool:
    """True for an address inside the cluster or its network, and for documentation."""
    name = host.strip("[]").lower().rstrip(".")
    if not name.isascii():
        return False
    try:
        return not ipaddress.ip_address(name).is_global
    except ValueError:
        inside = "." not in name or name.endswith((".svc", ".local", ".internal", ".localhost"))
        return (inside and bool(name)) or any(name == each or name.endswith("." + each) for each in _DOCUMENTATION)


def _named(word: str) -> str:
    """A word of two alphabets with the letters of the second one as numbers."""
    return _FOREIGN.sub(lambda m: m.group() if m.group() in _UNITS else f"<U+{ord(m.group()):04X}>", word)
