# SPDX-License-Identifier: Apache-2.0
"""A small SVG drawing: boxes, texts and arrows in colours for light and dark pages."""
import html

LIGHT = {"page": "#ffffff", "box": "#f6f8fa", "line": "#8c959f", "ink": "#1f2328", "faint": "#59636e", "accent": "#0550ae"}
DARK = {"page": "#0d1117", "box": "#161b22", "line": "#6e7681", "ink": "#e6edf3", "faint": "#9198a1", "accent": "#79c0ff"}


def rules(colours):
    return f"""
.page {{ fill: {colours['page']}; }}
.box {{ fill: {colours['box']}; stroke: {colours['line']}; }}
.arrow {{ fill: none; stroke: {colours['accent']}; stroke-width: 2.5; }}
.head {{ fill: {colours['accent']}; }}
.title, .heading, .purpose {{ fill: {colours['ink']}; }}
.folder, .label {{ fill: {colours['accent']}; }}
.faint {{ fill: {colours['faint']}; }}"""


FONTS = """
text { font-family: -apple-system, "Segoe UI", Helvetica, Arial, "DejaVu Sans", sans-serif; font-size: 12px; }
.heading { font-size: 18px; font-weight: 600; }
.title { font-size: 14px; font-weight: 600; }
.folder { font-size: 12px; }
.label { font-style: italic; }
.faint { font-size: 11px; }"""


class Drawing:
    def __init__(self, width, title):
        self.width = width
        self.title = title
        self.parts = []

    def box(self, x, y, width, height):
        self.parts.append(f'<rect class="box" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6"/>')

    def text(self, x, y, words, kind, transform="", anchor=""):
        extra = (f' transform="{transform}"' if transform else "") + (f' text-anchor="{anchor}"' if anchor else "")
        self.parts.append(f'<text class="{kind}" x="{x:g}" y="{y:g}"{extra}>{html.escape(words)}</text>')

    def arrow(self, points):
        """A line through the points; the last stretch is straight and ends in a head."""
        (from_x, from_y), (x, y) = points[-2], points[-1]
        along_x, along_y = (x > from_x) - (x < from_x), (y > from_y) - (y < from_y)
        base = (x - 9 * along_x, y - 9 * along_y)
        way = " ".join(f"{px:g},{py:g}" for px, py in [*points[:-1], base])
        self.parts.append(f'<polyline class="arrow" points="{way}"/>')
        side_x, side_y = 5 * along_y, 5 * along_x
        corners = [(x, y), (base[0] + side_x, base[1] + side_y), (base[0] - side_x, base[1] - side_y)]
        self.parts.append('<polygon class="head" points="' + " ".join(f"{px:g},{py:g}" for px, py in corners) + '"/>')

    def result(self, height):
        dark = rules(DARK).replace("\n", "\n  ")
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {height:g}" width="{self.width:g}" height="{height:g}" role="img">\n'
                f"<title>{html.escape(self.title)}</title>\n"
                f"<style>{FONTS}{rules(LIGHT)}\n@media (prefers-color-scheme: dark) {{{dark}\n}}\n</style>\n"
                f'<rect class="page" width="100%" height="100%"/>\n' + "\n".join(self.parts) + "\n</svg>\n")
