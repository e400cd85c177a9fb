#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the structure and the words of the sources and compares them with limits that may only fall.

usage: measure.py [--list MEASURE]

The limits are in limits.txt. A value above its limit fails. A value far below its limit is reported,
so that the limit can be lowered. --list prints each finding of one measure with its file and line.
"""
import argparse
import collections
import pathlib
import sys

import layers
import tree as trees
import words

LIMITS = pathlib.Path(__file__).with_name("limits.txt")

STRUCTURE = {
    "unit-cycles": layers.unit_cycles,
    "folder-cycles": layers.folder_cycles,
    "wrong-directions": layers.wrong_directions,
    "crossed-readers": layers.crossed_readers,
    "shared-names": layers.shared_names,
    "rooms-without-a-sentence": layers.rooms_without_a_sentence,
    "long-files": layers.long_files,
    "rebuilt-by-parameters": layers.rebuilt_by_parameters,
    "rebuilt-by-operators": layers.rebuilt_by_operators,
    "rebuilt-by-op-codes": layers.rebuilt_by_op_codes,
    "product-lines": layers.product_lines,
}
WORDS = ("opening", "long-comment", "long-document", "long-message", "word-comment", "word-document", "word-message")


def limits():
    rows = [line.split("\t") for line in LIMITS.read_text().split("\n") if line and not line.startswith("#")]
    return {name: (int(limit), meaning) for name, limit, meaning in rows}


def measures():
    """{measure: [finding]} for all measures."""
    tree = trees.Tree()
    found = {name: function(tree) for name, function in STRUCTURE.items()}
    by_rule = collections.defaultdict(list)
    for rule, text, instead in words.count(["."])[0]:
        by_rule[rule].append(f"{text.path}:{text.line}: {text.text} ({instead})")
    found.update({rule: by_rule[rule] for rule in WORDS})
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--list", metavar="MEASURE", help="print the findings of one measure")
    arguments = parser.parse_args()
    found = measures()
    if arguments.list:
        if arguments.list not in found:
            sys.exit(f"no measure '{arguments.list}'; the measures are {', '.join(found)}")
        print("\n".join(found[arguments.list]))
        return
    failed = 0
    print(f"{'measure':24} {'value':>7} {'limit':>7}")
    for name, (limit, meaning) in limits().items():
        value = len(found[name])
        verdict = "" if value <= limit else "  FAILED"
        if value < limit * 0.98 and name not in ("product-lines",):
            verdict = f"  lower its limit in {LIMITS.name} to {value}"
        failed += value > limit
        print(f"{name:24} {value:7} {limit:7}  {meaning}{verdict}")
        if value > limit and name not in ("product-lines",):
            for line in found[name][:20]:
                print(f"    {line}")
    if failed:
        sys.exit(f"{failed} measures are above their limits: `tests/structure/measure.py --list MEASURE` lists the lines, CONTRIBUTING.md has the rules")


if __name__ == "__main__":
    main()
