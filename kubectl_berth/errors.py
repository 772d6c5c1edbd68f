"""One tree of errors, each with its exit status and its sentence.

- BerthError                     1  anything unexpected that has a sentence
  - UsageError                   2  what the person typed
  - ClusterUnreachable           3  no API server, or its credentials were refused
  - NoAnswer                     4  the engine gave none (also: no or a refused model key)
    - EngineUnreachable          4
    - EngineError                4
    - StillCallingTools          4
    - EmptyAnswer                4
    - Fragment                   4
  - ModelRefused                 5
  - OverBudget                   6
  - TimedOut                     7
  - Interrupted                130
  - ReadError                    1  one read of the cluster failed; becomes a gap, seldom an exit
    - NotFound
    - Forbidden
      - NotTaken
    - NotServed
    - Unavailable
    - Refused
"""

from __future__ import annotations

from enum import IntEnum


class ExitStatus(IntEnum):
    """What a command may end with."""

    OK = 0
    ERROR = 1
    USAGE = 2
    CLUSTER_UNREACHABLE = 3
    NO_ANSWER = 4
    REFUSED = 5
    OVER_BUDGET = 6
    TIMED_OUT = 7
    INTERRUPTED = 130
    READER_GONE = 141


class BerthError(Exception):
    """An error a person can act on: str() is one line that says what was wrong and what to do."""

    exit_status = ExitStatus.ERROR
    outcome = "engine-error"


class UsageError(BerthError):
    """What was typed, or a file it names, cannot be used."""

    exit_status = ExitStatus.USAGE


class ClusterUnreachable(BerthError):
    """The API server does not answer, or refuses the credentials."""

    exit_status = ExitStatus.CLUSTER_UNREACHABLE
    outcome = "cluster-unreachable"


class NoAnswer(BerthError):
    """The run ended without an answer."""

    exit_status = ExitStatus.NO_ANSWER


class EngineUnreachable(NoAnswer):
    """Nothing could be asked of the engine: refused connection, DNS, TLS, no key."""

    outcome = "engine-unreachable"


class EngineError(NoAnswer):
    """The engine answered with an error, or its reply broke off."""

    outcome = "engine-error"


class StillCallingTools(NoAnswer):
    """The last permitted call asked for tools instead of answering."""

    outcome = "still-calling-tools"


class EmptyAnswer(NoAnswer):
    """The engine ended its turn without text."""

    outcome = "empty"


class Fragment(NoAnswer):
    """The last call only narrated a next step."""

    outcome = "fragment"


class ModelRefused(BerthError):
    """The model declined to answer."""

    exit_status = ExitStatus.REFUSED
    outcome = "refused"


class OverBudget(BerthError):
    """The next call would exceed a budget."""

    exit_status = ExitStatus.OVER_BUDGET
    outcome = "over-budget"


class TimedOut(BerthError):
    """The run's deadline passed."""

    exit_status = ExitStatus.TIMED_OUT
    outcome = "timed-out"


class Interrupted(BerthError):
    """Ctrl-C or SIGTERM."""

    exit_status = ExitStatus.INTERRUPTED
    outcome = "interrupted"


class ReadError(BerthError):
    """One read of the cluster failed; `status` is the HTTP status it had or would have had."""

    status = 500
    why = "failed"


class NotFound(ReadError):
    """The object is not there (the kind is served)."""

    status = 404
    why = "not found"


class Forbidden(ReadError):
    """The API server does not let this person read it."""

    status = 403
    why = "forbidden"


class NotTaken(Forbidden):
    """The snapshot was taken of one namespace, and this lies outside of it."""

    why = "not in the snapshot"


class NotServed(ReadError):
    """The API server does not serve this kind or group."""

    status = 404
    why = "not served"


class Unavailable(ReadError):
    """The server, or the backend of an aggregated API, did not answer in time or failed."""

    status = 503
    why = "unavailable"


class Unauthorized(Unavailable):
    """The server stopped taking the credentials in the middle of a run: every other read would fail the same way."""

    status = 401
    why = "unauthorized"


class Refused(ReadError):
    """berth itself does not read this: Secrets, ConfigMaps, subresources, odd paths."""

    status = 403
    why = "refused"
