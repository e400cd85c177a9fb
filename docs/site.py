#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the documents as a web site with MkDocs (Debian's package mkdocs).

usage: docs/site.py PROGRAM FOLDER

Writes FOLDER/site. The pages are all Markdown files of the tree, in the folders that they have in the tree.
The commands of docs/gallery.md run in FOLDER/gallery, and their pages become part of the site.
Exit code 1 if a command fails, or if a link of the site leads to no file or to no heading.
"""
import argparse
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/documents"))
from check_documents import Document, tracked  # noqa: E402

KINDS = {"Tutorials": "docs/tutorials", "Guides": "docs/how-to", "Reference": "docs/reference",
         "Explanation": "docs/explanation"}
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")
GALLERY_SECONDS = 600


def title(name):
    heading = re.search(r"^# (.*)", (ROOT / name).read_text(), re.M)
    return heading.group(1).replace("`", "") if heading else name


def run_gallery(program, folder):
    """Carries out the gallery's commands, and returns the page's text with links to their results."""
    folder.mkdir(parents=True)
    environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}")
    script = "\n".join(Document("docs/gallery.md").script)
    subprocess.run(["bash", "-c", script], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL,
                   timeout=GALLERY_SECONDS)

    def shown(match):
        page, name = match.groups()
        if page.endswith(".svg"):
            return f"![{name}](gallery/{page})"
        return (f'<iframe src="gallery/{page}" title="{name}" width="100%" height="700"></iframe>\n\n'
                f"[Open {name}](gallery/{page})\n")
    return re.sub(r"<!-- page (\S+): (.*?) -->", shown, (ROOT / "docs/gallery.md").read_text())


def staged_text(name):
    """Returns a page whose links to folders lead to their pages. A folder without a page gets no link."""
    folder = pathlib.PurePosixPath(name).parent

    def resolved(match):
        target = match.group(2)
        path = ROOT / folder / target
        if re.match(r"[a-z]+:", target) or not path.is_dir():
            return match.group(0)
        if (path / "README.md").exists() or str((folder / target)) in KINDS.values():
            return f"{match.group(1)}{target.rstrip('/')}/README.md{match.group(3)}"
        return f"](https://example.invalid/{target})"
    text = LINK.sub(resolved, (ROOT / name).read_text())
    return re.sub(r"\[([^\]]*)\]\(https://example\.invalid/[^)]*\)", r"\1", text)


def stage(pages, gallery_text, gallery):
    for name in tracked("*.md"):
        target = pages / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(staged_text(name))
    (pages / "docs/gallery.md").write_text(gallery_text)
    shutil.copytree(gallery, pages / "docs/gallery", ignore=lambda folder, names: [
        name for name in names if not name.endswith((".html", ".svg"))])
    for kind, folder in KINDS.items():
        index = pages / folder / "README.md"
        if not index.exists():
            index.write_text(f"# {kind}\n\n" + "".join(
                f"- [{title(name)}]({pathlib.PurePosixPath(name).name})\n" for name in sorted(tracked(f"{folder}/*.md"))))
    # Files that pages link to or show, such as pictures, headers and the licence.
    for name in tracked("*.md"):
        for link in LINK.findall((ROOT / name).read_text()) + re.findall(
                r"<img[^>]*\s(src=)\"([^\"]+)(\")", (ROOT / name).read_text()):
            source = (ROOT / name).parent / link[1]
            if source.is_file() and source.suffix != ".md":
                target = pages / source.resolve().relative_to(ROOT)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)


def write_settings(folder):
    lines = ["site_name: okksim", "docs_dir: pages", "site_dir: site", "theme:", "  name: mkdocs",
             "  highlightjs: false", "use_directory_urls: false", "nav:", "  - README.md"]
    for kind, documents in KINDS.items():
        lines.append(f"  - {kind}:")
        lines += [f"    - {name}" for name in sorted(tracked(f"{documents}/*.md")) if not name.endswith("README.md")]
    lines += ["  - docs/gallery.md", "  - Project:", "    - CONTRIBUTING.md", "    - CHANGELOG.md"]
    (folder / "mkdocs.yml").write_text("\n".join(lines) + "\n")


class Page(html.parser.HTMLParser):
    """Links and anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if values.get("id"):
            self.anchors.add(values["id"])
        for key in ("href", "src"):
            if values.get(key):
                self.links.append(values[key])


def broken_links(site):
    gallery = site / "docs/gallery"
    pages = {path: Page(path) for path in site.rglob("*.html") if gallery not in path.parents}
    for path, page in pages.items():
        if path.name in ("404.html", "search.html"):
            continue
        for link in page.links:
            target, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:|//", target):
                continue
            other = path if not target else (path.parent / urllib.parse.unquote(target)).resolve()
            other = other / "index.html" if other.is_dir() else other
            if not other.exists():
                yield f"{path.relative_to(site)}: the link {link} leads to no file"
            elif anchor and other in pages and urllib.parse.unquote(anchor) not in pages[other].anchors:
                yield f"{path.relative_to(site)}: the link {link} leads to no heading"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    if shutil.which("mkdocs") is None:
        sys.exit("docs/site.py: mkdocs is missing; install Debian's package mkdocs, or call `make site`")
    for part in ("gallery", "pages", "site"):
        shutil.rmtree(folder / part, ignore_errors=True)
    text = run_gallery(arguments.program.resolve(), folder / "gallery")
    stage(folder / "pages", text, folder / "gallery")
    write_settings(folder)
    subprocess.run(["mkdocs", "build", "--quiet", "--config-file", folder / "mkdocs.yml"], check=True)
    broken = list(broken_links(folder / "site"))
    print("\n".join(broken))
    print(f"{folder / 'site'}: {sum(1 for _ in (folder / 'site').rglob('*.html'))} pages, {len(broken)} broken links")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
