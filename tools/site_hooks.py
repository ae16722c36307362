# SPDX-License-Identifier: BSD-3-Clause
"""What mkdocs.yml cannot say: navigation from README files, pages from outside docs/.

MathJax, which draws the formulas, is copied into the site from the Python package
sphinx-mathjax-offline (MathJax 3.2.2, Apache License 2.0), so that a reader needs no
network and the repository no copy.

Every folder of docs/ has a README.md that lists its pages, for readers on a code host.
The navigation follows these lists, so that there is one place to add a page to.
"""

import logging
import posixpath
import re
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import ramify

ROOT = Path(__file__).parent.parent
MATHJAX = "assets/mathjax/tex-svg.js"
OUTSIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md")
HEADING_OR_LINK = re.compile(
    r"^## (?P<heading>.+)$|\]\((?P<page>[\w.]+\.md)\)", re.MULTILINE
)
LINK = re.compile(r"(?P<text>\[[^\]]*\])\((?P<target>[^)#:\s]+)(?P<anchor>#[^)]*)?\)")
LOG = logging.getLogger("mkdocs.hooks.site")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of each folder into the navigation."""
    config.nav = filled(Path(config.docs_dir), config.nav)
    return config


def filled(docs: Path, nav: list[Any]) -> list[Any]:
    """Return a part of the navigation with the pages of its folders."""
    found: list[Any] = []
    for entry in nav:
        for title, place in entry.items():
            if isinstance(place, list):
                found.append({title: filled(docs, place)})
            elif not is_folder(place):
                found.append({title: place})
            elif front_of(docs / place):
                found.append({title: pages_of(docs, place)})
    return found


def is_folder(place: Any) -> bool:
    """Return whether an entry of the navigation stands for a folder."""
    return isinstance(place, str) and place.endswith("/")


def front_of(folder: Path) -> Path | None:
    """Return the page that lists the others of a folder, if there is one."""
    fronts = (folder / name for name in ("README.md", "index.md"))
    return next((front for front in fronts if front.exists()), None)


def pages_of(docs: Path, folder: str) -> list[Any]:
    """Return the pages that a folder's README.md links to, under its headings."""
    front = front_of(docs / folder)
    text = front.read_text("utf-8")
    entries: list[Any] = [folder + front.name]
    group, seen = entries, set()
    for found in HEADING_OR_LINK.finditer(text):
        if found["heading"]:
            group = []
            entries.append({found["heading"]: group})
        elif found["page"] not in seen:
            seen.add(found["page"])
            path = folder + found["page"]
            group.append({title_of(docs / path): path})
    return [entry for entry in entries if isinstance(entry, str) or any(entry.values())]


def title_of(page: Path) -> str:
    """Return the heading of a page, which a note may precede."""
    found = re.search(r"^# (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return found[1] if found else page.stem


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that live outside docs/; miss no public name."""
    for path in OUTSIDE:
        text = (ROOT / path).read_text("utf-8")
        files.append(File.generated(config, path, content=text))
    files.append(File.generated(config, MATHJAX, abs_src_path=str(mathjax())))
    pages = (Path(config.docs_dir) / "api").glob("*.md")
    told = "\n".join(page.read_text("utf-8") for page in pages)
    for name in (one for one in ramify.__all__ if one != "__version__"):
        if not re.search(rf"^::: ramify(\.\w+)*\.{name}\b", told, re.MULTILINE):
            LOG.warning("docs/api has no entry '::: ramify.%s'", name)
    return files


def mathjax() -> Path:
    """Return the file of MathJax that reads TeX and draws SVG: it needs no fonts."""
    for file in distribution("sphinx-mathjax-offline").files or ():
        if file.name == "tex-svg.js":
            return Path(str(file.locate()))
    raise FileNotFoundError("sphinx-mathjax-offline has no tex-svg.js")


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Turn links between files of the repository into links between pages."""
    here = page.file.src_uri
    folder = posixpath.dirname(here if here in OUTSIDE else f"docs/{here}")

    def link(found: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, found["target"]))
        if not (ROOT / path).exists():
            return found[0]  # code, or a lost page, of which MkDocs tells
        if not path.startswith("docs/") and path not in OUTSIDE:
            return found["text"][1:-1]  # a file that is no page
        target = path.removeprefix("docs/")
        away = posixpath.relpath(target, posixpath.dirname(here) or ".")
        return f"{found['text']}({away}{found['anchor'] or ''})"

    return LINK.sub(link, markdown)
