"""Hooks of the documentation site: the error pages, which ship inside the package, become pages of the site."""

from pathlib import Path

from mkdocs.structure.files import File

PAGES = Path(__file__).parent.parent / "tracer" / "diagnostics" / "pages"
LINK = "../../tracer/diagnostics/pages/"


def on_files(files, config):
    for page in sorted(PAGES.glob("*.md")):
        files.append(File.generated(config, f"errors/{page.name}", content=page.read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown, page, config, files):
    return markdown.replace(LINK, "")
