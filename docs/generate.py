"""Writes the pages that come from the code: docs/commands.md, docs/settings.md, docs/documents.md and man/.

python docs/generate.py            write them
python docs/generate.py --check    say which ones are stale, and end with 1 where one is
"""

from __future__ import annotations

import sys
from pathlib import Path

from generator import commands, documents, man, settings

ROOT = Path(__file__).parent.parent


def pages() -> dict[Path, str]:
    """Every generated page: where it belongs below the root, and its text."""
    found = {
        Path("docs/commands.md"): commands.page(),
        Path("docs/settings.md"): settings.page(),
        Path("docs/documents.md"): documents.page(),
    }
    return {**found, **{Path("man") / name: text for name, text in man.pages().items()}}


def stale(wanted: dict[Path, str], root: Path = ROOT) -> list[str]:
    """One line for each page below `root` that is not what it should be; a man page too many is one."""
    lines = []
    for path, text in wanted.items():
        present = root / path
        if not present.exists():
            lines.append(f"{path} is missing")
        elif present.read_text(encoding="utf-8") != text:
            lines.append(f"{path} is stale")
    left = sorted(path.relative_to(root) for path in (root / "man").glob("*.1"))
    return lines + [f"{path} is of no command" for path in left if path not in wanted]


def write(wanted: dict[Path, str], root: Path = ROOT) -> None:
    """Writes all pages below `root` and removes the man pages of commands that are gone."""
    for path, text in wanted.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    for path in (root / "man").glob("*.1"):
        if path.relative_to(root) not in wanted:
            path.unlink()


def main(arguments: list[str]) -> int:
    """The exit status: 0, 1 with --check where a page is stale, 2 for anything else that was typed."""
    if arguments not in ([], ["--check"]):
        print("usage: python docs/generate.py [--check]", file=sys.stderr)
        return 2
    if not arguments:
        write(pages())
        return 0
    lines = stale(pages())
    for line in lines:
        print(f"{line}; make docs writes it", file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
