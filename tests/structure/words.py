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

from texts import texts_of
from tree import tracked_files

LONGEST_SENTENCE = 25
# Openings of a comment, and of any other sentence. A sentence may begin with "The same seed gives", but not with "The same holds".
COMMENT_OPENING = re.compile(
    r"^((What|Of|Whether|The same|So|As|Who|Those|That which|Nothing|None|Nobody|How|Why|Which|Where|Likewise)\b|When\b(?!.*,))")
OPENING = re.compile(
    r"^(What|Of|Whether|So|As|Who|That which|Nobody|How|Why|Which|Likewise"
    r"|The same(?= (of|for|with|in|before|after|when|as|without|holds|again|if)\b|[.,;:]|$))\b")
RULES_FILE = pathlib.Path(__file__).with_name("invented_words.txt")


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
QUOTED = re.compile(r'(?<![\w"])"[^"]{1,40}"(?![\w"])')


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
        for index, sentence in enumerate(sentences(prose)):
            opening = COMMENT_OPENING if text.kind == "comment" and index == 0 else OPENING
            if opening.match(sentence) and not sentence.endswith("?"):
                yield "opening", text._replace(text=sentence), "start with the thing itself as the subject"
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
