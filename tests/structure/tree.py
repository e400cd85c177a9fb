# SPDX-License-Identifier: Apache-2.0
"""The sources of the checkout, their units and folders, and what they include."""
import collections
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRODUCT = ("isa", "models", "firmware", "kernels", "sim", "python")
SOURCE = re.compile(r"\.(h|cpp|c|def)$")
INCLUDE = re.compile(r'^ *# *include ["<]([^">]+)[">]', re.M)


def tracked_files(paths=(".",)):
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "--", *paths]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n")
    return sorted({name for name in names if name and (ROOT / name).is_file()})


def unit_of(name):
    """A header and its source are one unit."""
    return SOURCE.sub("", name)


class Tree:
    """Sources of the product and of the tests; `includes` has (including file, included file) pairs."""

    def __init__(self):
        self.sources = [name for name in tracked_files() if SOURCE.search(name)]
        known = set(self.sources)
        self.includes = []
        for name in self.sources:
            for target in INCLUDE.findall((ROOT / name).read_text(errors="replace")):
                beside = os.path.normpath(os.path.join(os.path.dirname(name), target))
                target = os.path.normpath(target)
                if target in known:
                    self.includes.append((name, target))
                elif beside in known:
                    self.includes.append((name, beside))

    def product(self):
        return [name for name in self.sources if name.split("/")[0] in PRODUCT]

    def edges(self, key, accept=lambda name: True):
        """Edges between groups of files: {from: {to: [(file, included file)]}}."""
        found = collections.defaultdict(lambda: collections.defaultdict(list))
        for source, target in self.includes:
            if accept(source) and accept(target) and key(source) != key(target):
                found[key(source)][key(target)].append((source, target))
        return found


def cycles(edges):
    """Strongly connected groups with more than one member (Tarjan), smallest first."""
    index, low, stack, on_stack, groups = {}, {}, [], set(), []

    def visit(start):
        work = [(start, iter(edges.get(start, ())))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    on_stack.add(successor)
                    work.append((successor, iter(edges.get(successor, ()))))
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = []
                    while not group or group[-1] != node:
                        group.append(stack.pop())
                        on_stack.discard(group[-1])
                    if len(group) > 1:
                        groups.append(sorted(group))

    for node in list(edges):
        if node not in index:
            visit(node)
    return sorted(groups, key=lambda group: (len(group), group))
