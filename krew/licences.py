"""The licence texts of what the archive carries: their terms ask that they come with every copy."""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Iterable, Iterator
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

TEXT = re.compile(r"(?i)(licen[cs]es?|copying|copyright|notice|authors)([.-].*)?")


def texts(modules: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """(path in the archive, path here) for each licence text of the distributions that these modules come from."""
    providers = packages_distributions()
    top = {module.partition(".")[0] for module in modules}
    for name in sorted({provider for module in top for provider in providers.get(module, ())}):
        found = distribution(name)
        for file in found.files or ():
            if TEXT.fullmatch(file.name) and ".dist-info" in file.parts[0]:
                yield f"licences/{found.name}-{found.version}/{file.name}", Path(str(file.locate()))
    pythons = Path(sysconfig.get_path("stdlib")) / "LICENSE.txt"
    if pythons.is_file():
        yield "licences/python/LICENSE.txt", pythons
