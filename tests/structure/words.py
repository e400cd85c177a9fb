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


def comment_blocks(path, lines, marker):
    """Consecutive comment lines are one block; a comment after code is a block on its own."""
    block, start = [], 0
    for number, line in enumerate(lines + [""], 1):
        stripped = line.strip()
        if stripped.startswith(marker) and not stripped.startswith("#!"):
            text = stripped.lstrip(marker[0] + "!<").strip()
            if text.startswith(("SPDX-", "clang-format", "namespace ")):
                continue
            if not text and block:  # an empty comment line separates two paragraphs
                yield Text(path, start, "comment", " ".join(block))
                block = []
                continue
            if not block:
                start = number
            block.append(text)
            continue
        if block:
            yield Text(path, start, "comment", " ".join(block))
            block = []
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


def message(path, start, text, source):
    text = re.sub(r"\{[^{}]*\}", "VALUE", text.replace("\\n", "\n").replace('\\"', '"'))
    line = source.count("\n", 0, start) + 1
    for part in text.split("\n"):
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


def plain(text):
    """The text without code: `...`, links, quoted words and names of flags do not count as words of ours."""
    text = re.sub(r"`[^`]*`", "CODE", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return re.sub(r"--[a-z][a-z-]*", "FLAG", text)


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
        prose = plain(text.text)
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
