#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the words of comments, messages and documents against the rules in CONTRIBUTING.md.

usage: words.py [--list RULE|all] [PATH ...]

Without --list the script prints one line per rule: its name, the number of findings, the number of
texts that it looked at. With --list it prints every finding as FILE:LINE: rule: text (use instead).
PATH restricts the search to files below these folders; the default is the whole tree.
"""
import argparse
import collections
import pathlib
import re

from tree import ROOT, tracked_files

CODE = (".h", ".cpp", ".c", ".def", ".in", ".py", ".sh", ".toml", ".cmake", "CMakeLists.txt", "Makefile")
LONGEST_SENTENCE = 25
RIDDLE = re.compile(r"^(What|Of|Whether|The same|So|As|Who|Those|That which|Nothing|None|Nobody)\b")
# The words of these documents stand in the sources, where they count.
GENERATED = {
    "docs/explanation/fidelity.md", "docs/reference/commands.md", "docs/reference/machine-file.md",
    "docs/reference/okk-functions.md", "isa/ISA.md",
}
RULES_FILE = pathlib.Path(__file__).with_name("invented_words.txt")

Text = collections.namedtuple("Text", "path line kind text")  # kind: comment, message, document


# A line of code in a comment is indented. It is a statement, or one call of a macro.
CODE_LINE = re.compile(r"( {5,}.*[;{}]| {3,}[A-Z][A-Z_]*\(.*\))$")
# A usage line: the name of a program, then placeholders, options and alternatives, and no other word.
USAGE_ITEM = r"(\[.*\]|--?[a-z][\w-]*|[A-Z][A-Z_]*(\.[a-z]+)?(\.\.\.)?|\w+(\|\w+)+|\.\.\.)"
USAGE_LINE = re.compile(r"(usage: [\w./-]+|[a-z][a-z-]*[_.][\w.-]*)( " + USAGE_ITEM + ")+$")
# Two spaces inside a line separate the columns of a table.
TABLE_GAP = re.compile(r"(?<=\S)(?<![.:;,!?\"]) {2,}(?=\S)")


def comment_blocks(path, lines, marker):
    """Consecutive comment lines are one block; a comment after code is a block on its own.

    Code and usage lines are left out. A cell of a table is a block of its own, as it is in a document.
    A first cell of one word is a name.
    """
    block, start, column = [], 0, 0  # column: where the lines of the block begin at least

    def flush():
        nonlocal block
        if block:
            yield Text(path, start, "comment", " ".join(block))
        block = []

    for number, line in enumerate(lines + [""], 1):
        stripped = line.strip()
        if stripped.startswith(marker) and not stripped.startswith("#!"):
            indented = stripped.lstrip(marker[0] + "!<")
            text = indented.strip()
            if text.startswith(("SPDX-", "clang-format", "shellcheck ", "namespace ")):
                continue
            if not text and block:  # an empty comment line separates two paragraphs
                yield from flush()
                continue
            gaps = list(TABLE_GAP.finditer(indented))
            if CODE_LINE.match(indented) or not block and USAGE_LINE.match(text):
                yield from flush()
                continue
            if gaps or len(indented) - len(text) < column:
                yield from flush()
                column = 0
            if gaps:
                *cells, last = TABLE_GAP.split(text)
                for index, cell in enumerate(cells):
                    if index > 0 or " " in cell:
                        yield Text(path, number, "comment", cell)
                text, column = last, gaps[-1].end()
            if not block:
                start = number
            block.append(text)
            continue
        yield from flush()
        column = 0
        if stripped.startswith("}"):
            continue  # "}  // namespace ..."
        trailing = re.search(r"\s" + re.escape(marker) + r"+<?\s+([^\"]*)$", line)
        if trailing and stripped:
            yield Text(path, number, "comment", trailing.group(1).strip())


STRING = re.compile(r'R"(\w*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"', re.S)


def messages(path, source):
    """String literals that read as sentences: adjacent literals are one text."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group(0))
    source = re.sub(r"^[ \t]*//.*$", blank, source, flags=re.M)
    source = re.sub(r"^[ \t]*#[ \t]*include.*$", blank, source, flags=re.M)
    parts, start, end = [], 0, -1
    for match in STRING.finditer(source):
        text = match.group(2) if match.group(2) is not None else match.group(3)
        if parts and source[end:match.start()].strip() == "":
            parts.append(text)
        else:
            if parts:
                yield from message(path, start, "".join(parts), source)
            parts, start = [text], match.start()
        end = match.end()
    if parts:
        yield from message(path, start, "".join(parts), source)


SQL = re.compile(r"(CREATE (TABLE|INDEX|VIEW)|SELECT .* FROM|INSERT (OR \w+ )?INTO|UPDATE .* SET|DELETE FROM) ", re.S)
EXAMPLE = re.compile(r" {2,}okksim [a-z]")  # an indented command line


def message(path, start, text, source):
    if SQL.match(text):
        return
    text = re.sub(r"\{[^{}]*\}", "VALUE", text.replace("\\n", "\n").replace('\\"', '"'))
    line = source.count("\n", 0, start) + 1
    for part in text.split("\n"):
        if EXAMPLE.match(part) or USAGE_LINE.match(part.strip()):
            continue
        if len(re.findall(r"[A-Za-z]{2,}", part)) >= 3:
            yield Text(path, line, "message", part.strip())


def document_texts(path, lines):
    """Paragraphs, list items and table cells; fenced code and headings are left out."""
    fenced, paragraph, start = False, [], 0

    def flush():
        nonlocal paragraph
        if paragraph:
            yield Text(path, start, "document", " ".join(paragraph))
            paragraph = []

    for number, line in enumerate(lines + [""], 1):
        stripped = line.strip()
        if stripped.startswith("```"):
            yield from flush()
            fenced = not fenced
        elif fenced:
            continue
        elif stripped.startswith("|"):
            yield from flush()
            for cell in stripped.strip("|").split("|"):
                yield Text(path, number, "document", cell.strip())
        elif not stripped or stripped.startswith("#") or line.startswith("    "):
            yield from flush()
        else:
            item = re.match(r"([-*]|\d+\.)\s+(.*)", stripped)
            if item:
                yield from flush()
                stripped = item.group(2)
            if not paragraph:
                start = number
            paragraph.append(stripped)


def texts_of(name):
    path = ROOT / name
    if name.startswith(("traces/", "tests/structure/", "CHANGELOG")) or name in GENERATED or name == "LICENSE":
        return
    if name.endswith(".md"):
        yield from document_texts(name, path.read_text(errors="replace").split("\n"))
    elif name.endswith(CODE):
        source = path.read_text(errors="replace")
        marker = "//" if name.endswith((".h", ".cpp", ".c", ".def", ".cpp.in")) else "#"
        yield from comment_blocks(name, source.split("\n"), marker)
        if name.endswith((".h", ".cpp", ".def")) and not name.startswith("tests/"):
            yield from messages(name, source)


FILE_ENDINGS = "cpp|csv|def|h|html|json|md|mlir|npy|py|sh|toml|tosa|txt|xmodel"
NO_WORDS = [
    (re.compile(r"`[^`]*`"), "CODE"),
    (re.compile(r"\]\([^)]*\)"), "]"),
    (re.compile(r"(?<!\w)--[a-z][a-z-]*"), "FLAG"),
    (re.compile(r"\bokksim worth\b"), "COMMAND"),
    (re.compile(r"(?<![\w/.])/\w[\w.-]*(/[\w.*-]+)+"), "PATH"),  # /proc/self/maps
    (re.compile(r"(?<![\w/])[\w*-][\w./*-]*\.(" + FILE_ENDINGS + r")\b"), "FILE"),
    (re.compile(r"\b[A-Za-z_]\w*((\.|->|::)[A-Za-z_]\w*)*(\.|->|::)[A-Za-z_]\w*\([^()]*\)"), "CALL"),  # law.price_bytes(...)
    (re.compile(r"\b[A-Za-z_]\w*\(\)"), "CALL"),  # front()
    (re.compile(r"\b[A-Za-z_]\w*(::[A-Za-z_]\w*)+"), "NAME"),
    (re.compile(r"\b[a-z]+(\|[a-z]+)+\b"), "ALTERNATIVES"),  # law|fixed|none
]
QUOTED = re.compile(r'(?<![\w"])"[^"]{1,120}"(?![\w"])')


def plain(text):
    """The text without code: `...`, links, calls, files and flags, and quoted texts of comments and documents."""
    prose = QUOTED.sub("QUOTED", text.text) if text.kind != "message" else text.text
    for pattern, name in NO_WORDS:
        prose = pattern.sub(name, prose)
    return prose


def sentences(text):
    text = re.sub(r"\b(e\.g|i\.e|etc|vs|cf|No|Fig)\.", r"\1", text)
    return [part for part in re.split(r"(?<=[.!?])[\"')]?\s+", text) if part]


def words(sentence):
    return [word for word in sentence.split() if re.search(r"[A-Za-z0-9]", word)]


def invented_words():
    rules = []
    for line in RULES_FILE.read_text().split("\n"):
        if line and not line.startswith("#"):
            pattern, instead = line.split("\t")
            rules.append((re.compile(pattern, re.I), instead))
    return rules


def findings(texts):
    rules = invented_words()
    for text in texts:
        prose = plain(text)
        if text.kind == "comment" and RIDDLE.match(text.text):
            yield "opening", text, "start with the thing itself as the subject"
        for sentence in sentences(prose):
            if len(words(sentence)) > LONGEST_SENTENCE:
                yield f"long-{text.kind}", text._replace(text=sentence), f"{len(words(sentence))} words, at most {LONGEST_SENTENCE}"
        for pattern, instead in rules:
            for match in pattern.finditer(prose):
                around = prose[max(0, match.start() - 30):match.end() + 30]
                yield f"word-{text.kind}", text._replace(text=f"...{around}..."), f"'{match.group(0)}': use {instead}"


def count(paths):
    texts = [text for name in tracked_files(paths) for text in texts_of(name)]
    kinds = collections.Counter(text.kind for text in texts)
    return list(findings(texts)), kinds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--list", metavar="RULE", help="print the findings of this rule, or of all rules")
    parser.add_argument("paths", nargs="*", default=["."])
    arguments = parser.parse_args()
    found, kinds = count(arguments.paths)
    if arguments.list:
        for rule, text, instead in found:
            if arguments.list in (rule, "all"):
                print(f"{text.path}:{text.line}: {rule}: {text.text} ({instead})")
        return
    totals = collections.Counter(rule for rule, _, _ in found)
    for rule in sorted(totals):
        print(f"{rule:16} {totals[rule]:6}")
    print("texts: " + ", ".join(f"{number} {kind}s" for kind, number in sorted(kinds.items())))


if __name__ == "__main__":
    main()
