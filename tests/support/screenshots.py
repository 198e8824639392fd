"""Pictures of every kind of page of a built site, on a phone and a desk, by day and by night.

In the repository: PYTHONPATH=tests python -m support.screenshots [SITE] [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

from support.browser import DESKTOP, PHONE, launched, served, visiting
from support.pages import examples


def take(site: Path, folder: Path) -> list[Path]:
    """Write the pictures into `folder`; returns them."""
    folder.mkdir(parents=True, exist_ok=True)
    taken = []
    with served(site) as origin, launched() as browser:
        for width in (DESKTOP, PHONE):
            for scheme in ("light", "dark"):
                with visiting(browser, origin, width=width, color_scheme=scheme) as visit:
                    for kind, url in examples(site).items():
                        page = visit.go(url)
                        if kind == "evidence":
                            page.locator(".nb-answer-text").first.wait_for()
                        taken.append(folder / f"{kind}-{width}-{scheme}.png")
                        page.screenshot(path=taken[-1], full_page=True)
    return taken


def main(site: str = "site", folder: str = "screenshots") -> int:
    if not (Path(site) / "index.html").is_file():
        sys.stderr.write(f"{site}: there is no built site; run make site first\n")
        return 2
    for path in take(Path(site), Path(folder)):
        sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
