"""Past incidents: short notes of earlier runs, kept for each cluster by itself.

A note outlives the pod whose log it was taken from, so it is a way for foreign words into later runs. It is cleaned
and cut when it is written, dropped when it was tampered with, and read back as untrusted text with its date.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from kubectl_berth.cluster.cluster import Cluster
from kubectl_berth.errors import ReadError
from kubectl_berth.knowledge.store import Store, has_table
from kubectl_berth.records import Incident
from kubectl_berth.safety.redact import redact
from kubectl_berth.safety.sanitise import hidden_characters, one_line, sanitise

MOST_BYTES = 2048
"""Of one note, all its parts together."""
TITLE_BYTES = 200
PART_BYTES = 800
ABOUT_BYTES = 200
_LIMITS = (TITLE_BYTES, PART_BYTES, PART_BYTES, ABOUT_BYTES)
MOST_RECALLED = 10
CLUSTER_WIDE = "kube-system"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS incidents (
  number INTEGER PRIMARY KEY AUTOINCREMENT, cluster TEXT NOT NULL, label TEXT NOT NULL, time TEXT NOT NULL,
  title TEXT NOT NULL, root_cause TEXT NOT NULL, fix TEXT NOT NULL, about TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS incidents_of_cluster ON incidents (cluster, number)
"""
_COLUMNS = "number, label, time, title, root_cause, fix, about"


class Memory:
    """The notes of one cluster in a store. `key` is the cluster's identity, asked for when it is first needed."""

    def __init__(self, store: Store, key: str | Callable[[], str], label: str = "") -> None:
        self._store = store
        self._key = key
        self._label = label

    def recall(self, query: str, limit: int = MOST_RECALLED) -> tuple[list[Incident], int]:
        """Notes that share words with the query, the best first, then the newest; and how many notes there are.

        A query without words gives the newest. Raises StoreError.
        """
        kept = notes(self._store, self._identity())
        wanted = words(query)
        if not wanted:
            return kept[:limit], len(kept)
        scored = [(len(wanted & words(" ".join((n.title, n.root_cause, n.fix, n.about)))), n) for n in kept]
        fitting = sorted((entry for entry in scored if entry[0]), key=lambda entry: (-entry[0], -entry[1].number))
        return [note for _, note in fitting[:limit]], len(kept)

    def record(self, title: str, root_cause: str, fix: str, when: datetime, about: Sequence[str] = ()) -> Incident:
        """Writes one note, cleaned and cut. Raises StoreError."""
        row = (
            self._identity(),
            one_line(redact(sanitise(self._label)), 200),
            when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            _cut(one_line(title, TITLE_BYTES), TITLE_BYTES),
            _cut(root_cause, PART_BYTES),
            _cut(fix, PART_BYTES),
            _cut(", ".join(about), ABOUT_BYTES),
        )
        with self._store.writing(_SCHEMA) as connection:
            added = connection.execute(
                "INSERT INTO incidents (cluster, label, time, title, root_cause, fix, about) VALUES (?,?,?,?,?,?,?)",
                row,
            )
            number = added.lastrowid or 0
        return _incident((number, *row[1:]))

    def _identity(self) -> str:
        if callable(self._key):
            self._key = self._key()
        return self._key


def cluster_key(cluster: Cluster) -> str:
    """What tells a cluster from every other: the uid of its kube-system namespace, else a hash of its name."""
    kind = next((k for k in cluster.kinds().kinds if k.kind == "Namespace" and not k.group), None)
    if kind is not None:
        try:
            metadata = cluster.get(kind, CLUSTER_WIDE).get("metadata")
        except ReadError:
            metadata = None
        uid = metadata.get("uid") if isinstance(metadata, dict) else None
        if isinstance(uid, str) and uid:
            return f"uid:{uid}"
    name = cluster.name()
    return "name:" + hashlib.sha256(f"{name.source}/{name.name}".encode()).hexdigest()[:16]


def own_memory(incidents: Iterable[Mapping[str, Any]], label: str, now: datetime) -> Memory:
    """A memory that ends with the run, holding a scenario's past incidents: title, rootCause, fix, and `time`.

    An incident without a time is one of a month before.
    """
    memory = Memory(Store(), "scenario", label)
    for each in incidents:
        try:
            when = _time(str(each.get("time", "")))
        except ValueError:
            when = datetime.fromtimestamp(now.timestamp() - 30 * 86400, UTC)
        title, root_cause, fix = (str(each.get(name, "")) for name in ("title", "rootCause", "fix"))
        memory.record(title, root_cause, fix, when)
    return memory


def notes(store: Store, cluster: str | None = None) -> list[Incident]:
    """All notes of a cluster, or of all clusters, the newest first; those with hidden characters are left out.

    Raises StoreError.
    """
    where, values = ("WHERE cluster = ?", (cluster,)) if cluster is not None else ("", ())
    with store.reading() as connection:
        if connection is None or not has_table(connection, "incidents"):
            return []
        rows = connection.execute(f"SELECT {_COLUMNS} FROM incidents {where} ORDER BY number DESC", values).fetchall()
    return [_incident(row) for row in rows if not any(_tampered(str(value)) for value in row[1:])]


def forget(store: Store, numbers: Sequence[int] | None) -> int:
    """Deletes these notes, or all of them where None is given; how many there were. Raises StoreError."""
    with store.writing(_SCHEMA) as connection:
        if numbers is None:
            return connection.execute("DELETE FROM incidents").rowcount
        marks = ",".join("?" * len(numbers))
        return connection.execute(f"DELETE FROM incidents WHERE number IN ({marks})", list(numbers)).rowcount


_WORD = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*")
_COMMON = frozenset(
    "a again all an and any are as at be been but by can did do does down for from had has have how i in is it its "
    "last me my new not of on or our please pod pods same see should show so that the there these this time to up was "
    "we what when which while why will with you".split()
)


def words(text: str) -> set[str]:
    """The telling words of a text, in lower case, CamelCase codes also as a whole, plurals as singulars."""
    found = set()
    for word in _WORD.findall(text.lower()):
        # a name counts as itself and as its parts
        for part in (word, *re.split(r"[-.]", word)):
            if len(part) > 1 and part not in _COMMON:
                found.add(part[:-1] if len(part) > 3 and part.endswith("s") and not part.endswith("ss") else part)
    return found


def _cut(text: str, limit: int) -> str:
    """Cleaned text of at most `limit` bytes."""
    clean = redact(sanitise(text)).strip()
    raw = clean.encode()
    return clean if len(raw) <= limit else raw[: limit - 3].decode(errors="ignore") + "..."


def _tampered(text: str) -> bool:
    """True for what `record` never writes: characters that nobody can see."""
    return hidden_characters(text) > 0 or sanitise(text) != text


def _incident(row: Sequence[Any]) -> Incident:
    number, label, time, title, root_cause, fix, about = row
    try:
        when = _time(str(time))
    except ValueError:
        when = datetime.fromtimestamp(0, UTC)
    # a note that somebody else wrote into the file is cut as one of ours
    parts = [_cut(str(part), limit) for part, limit in zip((title, root_cause, fix, about), _LIMITS, strict=True)]
    return Incident(int(number), str(label), when, *parts)


def _time(text: str) -> datetime:
    when = datetime.fromisoformat(text)
    return when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC)
