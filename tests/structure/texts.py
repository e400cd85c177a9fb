# SPDX-License-Identifier: Apache-2.0
"""Reads the comments, messages and documents of the checkout as texts: words.py checks them."""
import ast
import collections
import html
import io
import json
import re
import textwrap
import tokenize

from tree import ROOT

C_CODE = (".h", ".cpp", ".c", ".def", ".cpp.in", ".js", ".proto", ".fbs")
PYTHON = (".py", ".pyi")
SHELL = (".sh", ".ci/run")
HASH_COMMENTS = (".in", ".toml", ".cmake", "CMakeLists.txt", "Makefile", "Dockerfile", "Snakefile", "packages.txt", ".yaml")
PAGES = (".html",)
# The words of these documents stand in the sources, where they count.
GENERATED = {
    "docs/explanation/fidelity.md", "docs/reference/commands.md", "docs/reference/machine-file.md",
    "docs/reference/okk-functions.md", "isa/ISA.md",
}
# The rules themselves, and schemas of other projects.
UNREAD = {
    "tests/structure/invented_words.txt", "tests/structure/words.py", "sim/graph/tosa_v1/tosa_v1.fbs", "sim/graph/tosa_v090/tosa_v090.fbs", "LICENSE",
}

Text = collections.namedtuple("Text", "path line kind text")  # kind: comment, message, document
# A line of a comment without its marker. role: "own" line, "trailing" after code, "end" of a comment.
Line = collections.namedtuple("Line", "number text role")

# A line of code in a comment is indented. It is a statement, a definition, or one call of a macro.
CODE_LINE = re.compile(r"( {5,}.*[;{}]| {3,}([A-Z][A-Z_]*\(.*\)|#define .*| *\.\.\.))$")
# A usage line: the name of a program, then placeholders, options and alternatives, and no other word.
USAGE_ITEM = r"(\[.*\]|--?[a-z][\w-]*|[A-Z][A-Z_]*(\.[a-z]+)?(\.\.\.)?|\w+(\|\w+)+|\.\.\.)"
USAGE_LINE = re.compile(r"(usage: [\w./-]+|[a-z][a-z-]*[_.][\w.-]*)( " + USAGE_ITEM + ")+$")
# Two spaces inside a line separate the columns of a table.
TABLE_GAP = re.compile(r"(?<=\S)(?<![.:;,!?\"]) {2,}(?=\S)")
TOOL_COMMENT = ("SPDX-", "clang-format", "shellcheck ", "namespace ", "NOLINT", "!")


def comment_blocks(path, lines):
    """Consecutive comment lines are one block; a comment after code is a block on its own.

    Code and usage lines are left out. A cell of a table is a separate block, as in a document.
    A first cell of one word is a name. Two spaces are a gap of a table if a neighbour has one as well,
    or continues the column.
    """
    lines = list(lines)
    block, start, column = [], 0, 0  # column: where the lines of the block begin at least

    def flush():
        nonlocal block
        if block:
            yield Text(path, start, "comment", re.sub(r" +", " ", " ".join(block)))
        block = []

    def is_own(index, number):
        return 0 <= index < len(lines) and lines[index].role == "own" and lines[index].number == number

    def is_row(index, gap):
        for step in (-1, 1):
            if not is_own(index + step, lines[index].number + step):
                continue
            other = lines[index + step].text
            if any(match.end() == gap.end() for match in TABLE_GAP.finditer(other)):
                return True
            if len(other) - len(other.lstrip()) == gap.end():
                return True
        return False

    previous = 0
    for index, line in enumerate(lines):
        if line.role == "trailing":
            yield from flush()
            text = line.text.strip()
            if not text.startswith(TOOL_COMMENT):
                yield Text(path, line.number, "comment", text)
            continue
        indented, text = line.text, line.text.strip()
        if line.role == "end" or line.number != previous + 1:
            yield from flush()
            column = 0
        previous = line.number
        if line.role == "end" or text.startswith(TOOL_COMMENT):
            continue
        if not text:  # an empty comment line separates two paragraphs
            yield from flush()
            continue
        gaps = [gap for gap in TABLE_GAP.finditer(indented) if is_row(index, gap)]
        if CODE_LINE.match(indented) or not block and USAGE_LINE.match(text):
            yield from flush()
            continue
        if gaps or len(indented) - len(text) < column:
            yield from flush()
            column = 0
        if gaps:
            *cells, last = TABLE_GAP.split(text)
            for number, cell in enumerate(cells):
                if number > 0 or " " in cell:
                    yield Text(path, line.number, "comment", cell)
            text, column = last, gaps[-1].end()
        if not block:
            start = line.number
        block.append(text)
    yield from flush()


# Tokens of C, C++ and JavaScript. A raw string and a template literal may have several lines.
TOKEN = re.compile(r"""
    (?P<line>//[^\n]*) | (?P<block>/\*.*?\*/)
  | R"(?P<tag>\w*)\((?P<raw>.*?)\)(?P=tag)" | "(?P<string>(?:[^"\\\n]|\\.)*)" | `(?P<template>[^`]*)`
  | (?P<number>\d[\w.']*) | '(?P<char>(?:[^'\\\n]|\\.)+)' | (?P<word>[A-Za-z_]\w*)
  | (?P<op>::|<<|==|!=|<=|>=|&&|\|\||->|[-+*/%=<>!&|^~?:;,.(){}\[\]\#])""", re.S | re.X)


def c_comments(tokens, source):
    for token, number in tokens:
        if token.lastgroup not in ("line", "block"):
            continue
        before = source[source.rfind("\n", 0, token.start()) + 1:token.start()]
        if token.lastgroup == "line":
            text = re.sub(r"^//[/!]?<?", "  ", token.group())
            lines = [text]
        else:
            text = re.sub(r"^/\*+!?<?", "  ", token.group()[:-2])
            lines = [re.sub(r"^\s*\*(?!\*)", " ", row) if row != text.split("\n")[0] else row for row in text.split("\n")]
        lines = [re.sub(r"-{3,}", lambda match: " " * len(match.group()), row).rstrip() for row in lines]
        if before.strip():
            if " " in " ".join(lines).strip() and not before.strip().startswith("}  //"):
                yield Line(number, " ".join(row.strip() for row in lines), "trailing")
            continue
        for offset, row in enumerate(lines):
            yield Line(number + offset, row, "own")
        if token.lastgroup == "block":
            yield Line(number + len(lines), "", "end")


JOINS = {"+", "<<", ".", "->", "::", "-", "*", "/"}


def c_messages(path, tokens):
    """String literals that read as sentences. Literals are one text if `+` or `<<` joins them; a value between them is VALUE."""
    stack = [[]]  # for each bracket that is open: [line of the first literal, text, ...]

    def flush():
        top = stack[-1]
        if any(isinstance(part, str) and part != "VALUE" for part in top[1:]):
            yield from message(path, top[0], "".join(top[1:]).strip())
        top.clear()

    def value():
        if stack[-1] and stack[-1][-1] != "VALUE":
            stack[-1].append("VALUE")

    for token, number in tokens:
        kind = token.lastgroup
        if kind in ("line", "block", "char"):
            continue
        if kind in ("string", "tag", "raw", "template"):
            text = token.group("raw") or token.group("string") or token.group("template") or ""
            if token.group("template"):
                text = re.sub(r"\$\{[^}]*\}", "VALUE", text)
            if not stack[-1]:
                stack[-1].append(number)
            stack[-1].append(text)
        elif kind in ("word", "number"):
            value()
        elif token.group() in ("(", "[", "{"):
            if token.group() == "{":
                yield from flush()
            else:
                value()
            stack.append([])
        elif token.group() in (")", "]", "}"):
            yield from flush()
            if len(stack) > 1:
                stack.pop()
            if token.group() == "}":
                yield from flush()
        elif token.group() not in JOINS:
            yield from flush()
    while len(stack) > 1:
        yield from flush()
        stack.pop()
    yield from flush()


def c_texts(path, source, with_messages):
    blank = lambda match: re.sub(r"[^\n]", " ", match.group(0))
    source = re.sub(r'^[ \t]*#[ \t]*include[ \t]*["<][^">\n]*[">]', blank, source, flags=re.M)
    tokens, line, end = [], 1, 0
    for match in TOKEN.finditer(source):
        line += source.count("\n", end, match.start())
        end = match.start()
        tokens.append((match, line))
    yield from comment_blocks(path, c_comments(tokens, source))
    if with_messages:
        yield from c_messages(path, tokens)


def hash_comments(source):
    """Comments that begin with #. A # inside quotes begins none."""
    for number, line in enumerate(source.split("\n"), 1):
        stripped = line.strip()
        if stripped.startswith("#"):
            yield Line(number, "" if stripped.startswith("#!") else " " + stripped.lstrip("#"), "own")
            continue
        trailing = re.search(r"\s#+\s+(.*)$", line)
        if trailing and all(line[:trailing.start()].count(quote) % 2 == 0 for quote in "\"'"):
            yield Line(number, trailing.group(1), "trailing")


def python_comments(source):
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            role = "own" if token.line[:token.start[1]].strip() == "" else "trailing"
            yield Line(token.start[0], " " + token.string.lstrip("#"), role)


def python_texts(path, source):
    yield from comment_blocks(path, python_comments(source))
    tree = ast.parse(source)
    inner = set()  # parts of a text that was yielded, and documentation

    def joined(node):
        """The text of a string expression, or None."""
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else None
        if isinstance(node, ast.JoinedStr):
            return "".join(joined(part) or "VALUE" for part in node.values)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = joined(node.left), joined(node.right)
            return (left or "VALUE") + (right or "VALUE") if left or right else None
        return None

    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
                inner.add(first.value)
                text = textwrap.dedent("    " * (node is not tree) + first.value.value)
                rows = text.strip("\n").split("\n")
                lines = [Line(first.lineno + offset, "  " + row, "own") for offset, row in enumerate(rows)]
                yield from comment_blocks(path, lines)
    for node in ast.walk(tree):
        if node in inner:
            continue
        text = joined(node)
        if text is not None:
            inner.update(ast.walk(node))
            yield from message(path, node.lineno, text.replace("\\", "\\\\"))


# Functions of the scripts that print their first text argument, or fail with it.
PRINTS = re.compile(r"""(?:^|[;&|{(]\s*|\b(?:do|then|else)\s+)(?:(?:echo|fail|complain|step|die|skip)\s+(?:-\w\s+)?|wrong\s+\S+\s+)(?:"((?:[^"\\]|\\.)*)"|'([^']*)')""", re.M)


def shell_texts(path, source):
    yield from comment_blocks(path, hash_comments(source))
    for match in PRINTS.finditer(source):
        text = match.group(1) if match.group(1) is not None else match.group(2)
        text = re.sub(r"\$\((?:[^()]|\([^()]*\))*\)|\$\{[^}]*\}|\$\w+|\$[@#*?]", "VALUE", text)
        yield from message(path, source.count("\n", 0, match.start()) + 1, text)


def page_texts(path, source):
    """Texts between tags, comments and scripts of an HTML page."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group(0))
    for match in re.finditer(r"<script>(.*?)</script>", source, re.S):
        yield from c_texts(path, "\n" * source.count("\n", 0, match.start(1)) + match.group(1), True)
    source = re.sub(r"<(script|style)>.*?</\1>", blank, source, flags=re.S)
    for match in re.finditer(r"<!--(.*?)-->|>([^<>]+)<", source, re.S):
        text, kind = (match.group(1), "comment") if match.group(1) else (match.group(2), "message")
        if re.search(r"[A-Za-z]{2,}", text):
            yield Text(path, source.count("\n", 0, match.start()) + 1, kind, " ".join(html.unescape(text).split()))


SQL = re.compile(r"(CREATE (TABLE|INDEX|VIEW)|SELECT .* FROM|INSERT (OR \w+ )?INTO|UPDATE .* SET|DELETE FROM) ", re.S)
EXAMPLE = re.compile(r" {2,}okksim [a-z]")  # an indented command line


def message(path, line, text):
    if SQL.match(text):
        return
    text = re.sub(r"\{[^{}]*\}", "VALUE", text.replace("\\n", "\n").replace('\\"', '"'))
    for part in text.split("\n"):
        if EXAMPLE.match(part) or USAGE_LINE.match(part.strip()):
            continue
        if len(re.findall(r"[A-Za-z]{2,}", part)) >= 2 and " " in part.strip():
            yield Text(path, line, "message", re.sub(r" +", " ", part.strip()))


def document_texts(path, lines):
    """Paragraphs, list items and table cells; fenced and indented code and headings are left out."""
    fenced, paragraph, start, in_list = False, [], 0, False

    def flush():
        nonlocal paragraph
        if paragraph:
            yield Text(path, start, "document", " ".join(paragraph))
            paragraph = []

    for number, line in enumerate(lines + [""], 1):
        stripped = line.strip()
        item = re.match(r"([-*]|\d+\.)\s+(.*)", stripped)
        if stripped and not line.startswith(" "):
            in_list = bool(item) or in_list and bool(paragraph)
        if stripped.startswith("```"):
            yield from flush()
            fenced = not fenced
        elif fenced:
            continue
        elif stripped.startswith("|"):
            yield from flush()
            for cell in stripped.strip("|").split("|"):
                yield Text(path, number, "document", cell.strip())
        elif not stripped or stripped.startswith("#") or line.startswith("    ") and not in_list:
            yield from flush()
        else:
            if item:
                yield from flush()
                stripped = item.group(2)
            if not paragraph:
                start = number
            paragraph.append(stripped)


def texts_of(name):
    path = ROOT / name
    if name in GENERATED or name in UNREAD or name.endswith(".trace"):
        return
    is_test = name.startswith("tests/")
    if name.endswith(".md"):
        yield from document_texts(name, path.read_text(errors="replace").split("\n"))
    elif name.endswith(C_CODE):
        yield from c_texts(name, path.read_text(errors="replace"), not is_test)
    elif name.endswith(PYTHON):
        yield from python_texts(name, path.read_text())
    elif name.endswith(SHELL):
        yield from shell_texts(name, path.read_text())
    elif name.endswith(PAGES):
        yield from page_texts(name, path.read_text())
    elif name.endswith(".ipynb"):
        for cell in json.loads(path.read_text())["cells"]:
            if cell["cell_type"] == "markdown":
                yield from document_texts(name, "".join(cell["source"]).split("\n"))
    elif name.endswith("equivalent.txt"):
        for number, line in enumerate(path.read_text().split("\n"), 1):
            if line and not line.startswith(" "):
                yield Text(name, number, "comment", line.lstrip("# "))
    elif name.endswith(HASH_COMMENTS):
        yield from comment_blocks(name, hash_comments(path.read_text(errors="replace")))
