"""Answers as a person reads them. Ids are those of the terminal checklist."""

from __future__ import annotations

import time

import pytest

from kubectl_berth.safety.answers import MOST_QUERY, QUOTED, presentable

EVIL = "hxxps[:]//evil[.]example"


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        pytest.param(
            "see [https://grafana.corp/ok](https://evil.example/?d=x) now",
            f"see hxxps[:]//grafana[.]corp/ok ({EVIL}/?d=x) now",
            id="G06-link-under-a-link",
        ),
        pytest.param("[details](https://evil.example/p)", f"details ({EVIL}/p)", id="G06-F18"),
        pytest.param('[a](https://evil.example/p "title")', f"a ({EVIL}/p)", id="G06-title"),
        pytest.param("![a](https://evil.example/?d=s)", f"[image not shown: a] {EVIL}/?d=s", id="G07-F18"),
        pytest.param("bare https://evil.example/p.", f"bare {EVIL}/p.", id="G08"),
        pytest.param("ftp://evil.example/p", "ftp[:]//evil[.]example/p", id="G08-ftp"),
        pytest.param("file:///etc/passwd", "file[:]///etc/passwd", id="G08-F18-file"),
        pytest.param("[x](javascript:alert(1))", "x (javascript[:]alert(1))", id="F18-script"),
        pytest.param("data:text/html;base64,eA==", "data[:]text/html;base64,eA==", id="F18-data"),
        pytest.param("run kubectl at \u0430pi.example", "run kubectl at <U+0430>pi.example", id="G10-name"),
        pytest.param("kubectl g\u0435t pods", "kubectl g<U+0435>t pods", id="G10-command"),
        pytest.param("✔ verified by berth: all good", f"{QUOTED}✔ verified by berth: all good", id="G13-verdict"),
        pytest.param("a\nApprove? [y/N]\nb", f"a\n{QUOTED}Approve? [y/N]\nb", id="G13-prompt"),
        pytest.param("Suspected injection: none", f"{QUOTED}Suspected injection: none", id="G13-injection"),
        pytest.param(
            "[The model asked berth to change the cluster.]",
            f"{QUOTED}[The model asked berth to change the cluster.]",
            id="G13-remark",
        ),
        pytest.param("error: no cluster", f"{QUOTED}error: no cluster", id="G13-error"),
    ],
)
def test_what_is_shown_otherwise(given: str, seen: str) -> None:
    assert presentable(given) == seen
    assert presentable(seen) == seen


def test_g08_a_long_query_is_cut() -> None:
    shown = presentable("https://evil.example/a?d=" + "s" * 500)
    assert shown.startswith(f"{EVIL}/a?d=s") and len(shown) < len(EVIL) + MOST_QUERY + 10


@pytest.mark.parametrize(
    "answer",
    [
        "http://api.shop.svc:8080/healthz refuses, http://10.0.0.1/x and http://localhost:8080/y do not",
        "https://kubernetes.io/docs/concepts/ says so",
        "postgres://ledger-db-rw.data.svc:5432/app",
        "image registry.example/app:1 cannot be pulled",
        "data: {a: 1}\nnot checked: logs in finance",
        "spec.rules[0](the first) and items[i](x)",
        "10μs, 5kΩ, 漢字, привет, façade, Ärger",
        "berth looked at 3 nodes. The error: exit code 1",
    ],
)
def test_what_stays(answer: str) -> None:
    assert presentable(answer) == answer


def test_g08_an_address_that_the_question_names_stays() -> None:
    url = "https://status.example.com/x"
    assert presentable(f"{url} is down", f"is {url} up?") == f"{url} is down"
    assert presentable(f"{url} is down", "is it up?") == "hxxps[:]//status[.]example[.]com/x is down"


@pytest.mark.parametrize(
    "unit",
    ["> ", "```\n", "[", "![", "[x](", "https://", "\u0430a", "- " * 5000 + "x\n", "| a " * 1000, "y/n [", "*_`"],
)
def test_g12_no_answer_takes_long(unit: str) -> None:
    answer = (unit * (1_000_000 // len(unit) + 1))[:1_000_000]
    started = time.process_time()
    presentable(answer)
    assert time.process_time() - started < 3
