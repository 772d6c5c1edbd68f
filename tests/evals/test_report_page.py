"""The page of a report, opened in a real browser: no network, both schemes, wide and narrow."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.evals.report import report
from kubectl_berth.evals.report_page import POLICY, page
from kubectl_berth.evals.transcripts import run_of
from tests.evals.made import call, document, made

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
browser = pytest.mark.skipif(BROWSER is None, reason="there is no chromium here: .ci/run installs Debian's")

SPITEFUL = "</pre><script>document.title = 'taken over'</script><img src=http://192.0.2.1/x onerror=alert(1)>"
PASSES = {"oomkilled": [True, False, True], "failing-rollout": [True, True, True], "secret-denied": [False] * 3}


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of nine runs, one of whose answers is HTML, and one long line."""
    results = made(
        tmp_path_factory.mktemp("results"),
        PASSES,
        documents={
            ("oomkilled", 1): document(True, answer=SPITEFUL, trace=[call(1), call(2, "error")]),
            ("oomkilled", 3): document(True, answer="a" * 5000),
        },
    )
    rows = results.rows()
    return page(report(results), (run_of(results, rows[key]) for key in sorted(rows)))


def test_the_page_loads_nothing(shown: str) -> None:
    assert f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">' in shown
    # what an answer holds is text
    assert html.escape(SPITEFUL) in shown
    written = shown.replace(html.escape(SPITEFUL), "")
    assert re.findall(r"<(?:script|link|img|iframe|object|embed)\b|url\(|@import|\ssrc=|\shref=\"(?!#)", written) == []


def test_every_link_leads_somewhere(shown: str) -> None:
    targets = set(re.findall(r'\sid="([^"]+)"', shown))
    links = set(re.findall(r'href="#([^"]+)"', shown))
    assert links and links <= targets
    assert len(targets) == 9


LOOK = """
<script>
const frame = document.querySelector("iframe");
frame.onload = () => {
  const page = frame.contentDocument, body = page.body, root = page.documentElement;
  const seen = selector => page.querySelectorAll(selector).length;
  const colours = each => [getComputedStyle(each).color, getComputedStyle(each).backgroundColor];
  const details = page.querySelector("#run-oomkilled-1").closest("details");
  const closed = !details.open;
  details.querySelector("summary").click();
  const clicked = details.open;
  page.querySelectorAll("details").forEach(each => { each.open = true; });
  const wide = [...page.querySelectorAll("main *")].filter(each =>
    !each.closest(".scroll, svg") && each.getBoundingClientRect().right > root.clientWidth + 1);
  document.body.dataset.found = JSON.stringify({
    title: page.title, width: root.clientWidth, scroll: root.scrollWidth, wide: wide.map(each => each.outerHTML),
    charts: seen(".chart"), dots: seen("circle.dot"), intervals: seen("line.interval"), bars: seen("rect.bar"),
    body: colours(body), tile: colours(page.querySelector(".tile")), closed, clicked,
    answer: page.querySelector("#run-oomkilled-1 pre.answer").innerText,
    drawn: page.querySelector("circle.dot").getBoundingClientRect().width,
    loaded: performance.getEntriesByType("resource").length,
  });
};
</script>
"""


def opened(shown: str, directory: Path, width: int, *, dark: bool) -> dict[str, Any]:
    """What the browser makes of the page in a window of that width.

    It is framed by a page that looks at it, since it runs no script itself; chromium's own windows have a least width.
    """
    framed = shown.replace(POLICY, POLICY + "; script-src 'none'")
    outer = directory / "outer.html"
    frame = f'<iframe style="width: {width}px; height: 800px; border: 0" srcdoc="{html.escape(framed)}"></iframe>'
    outer.write_text(f"<!doctype html><meta charset=utf-8><body>{LOOK.replace('<script>', frame + '<script>', 1)}")
    scheme = "--blink-settings=preferredColorScheme=" + ("0" if dark else "1")
    run = subprocess.run(
        [
            str(BROWSER),
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--window-size=1400,900",
            f"--user-data-dir={directory / 'profile'}",
            "--virtual-time-budget=5000",
            scheme,
            "--dump-dom",
            outer.as_uri(),
        ],
        capture_output=True,
        timeout=100,
        check=True,
    )
    found = re.search(r'data-found="([^"]*)"', run.stdout.decode())
    assert found, run.stderr.decode()[-2000:]
    seen: dict[str, Any] = json.loads(html.unescape(found[1]))
    return seen


def luminance(colour: str) -> float:
    """WCAG's relative luminance of "rgb(r, g, b)"."""
    channels = [int(each) / 255 for each in re.findall(r"\d+", colour)[:3]]
    linear = [each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@browser
@pytest.mark.parametrize(("width", "dark"), [(1200, False), (360, True)], ids=["wide-light", "phone-dark"])
def test_a_browser_shows_it(shown: str, tmp_path: Path, width: int, dark: bool) -> None:
    found = opened(shown, tmp_path, width, dark=dark)
    assert found["title"] == "Evaluation of ollama qwen3.5:9b"
    # nothing sticks out of the window
    assert found["width"] == pytest.approx(width, abs=20) and found["scroll"] <= found["width"], found["wide"]
    assert found["wide"] == []
    # two groups of rates, calls, tokens; categories and scenarios have a dot each
    assert (found["charts"], found["dots"], found["intervals"]) == (4, 2 + 3, 2 + 3)
    assert found["bars"] == 3 + 2 * 3 and found["drawn"] == pytest.approx(10, abs=1)
    text, ground = map(luminance, found["body"])
    assert (ground < 0.1) is dark
    assert (max(text, ground) + 0.05) / (min(text, ground) + 0.05) > 7
    # a transcript is one click away, and what a model wrote stays text
    assert found["closed"] and found["clicked"]
    assert found["answer"] == SPITEFUL
    assert found["loaded"] == 0
