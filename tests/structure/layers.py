# SPDX-License-Identifier: Apache-2.0
"""Rules about files and folders: names, directions of includes, cycles, sizes, rebuild costs."""
import collections
import os
import re

import purposes
import tree as trees

ALLOWED = {
    "isa": "isa",
    "models": "isa models",
    "firmware": "isa firmware",
    "kernels": "isa firmware kernels",
    "sim": "isa models firmware kernels sim",
    "python": "isa models firmware kernels sim python",
    "tests": "isa models firmware kernels sim tests",
}
READERS = {"sim/graph/" + name for name in ("mlir", "tosa_v090", "tosa_v1", "xmodel", "onnx", "tflite")}
LONGEST_FILE = 300


def top(name):
    return name.split("/")[0]


def in_layers(name):
    return top(name) in ALLOWED


def shared_names(tree):
    by_name = collections.defaultdict(list)
    for name in tree.sources:
        by_name[os.path.basename(name)].append(name)
    return [f"{' '.join(names)}: one name for several files" for names in by_name.values() if len(names) > 1]


def unit_cycles(tree):
    edges = tree.edges(trees.unit_of, lambda name: top(name) in trees.PRODUCT)
    return [f"{len(group)} units include each other: {' '.join(group)}" for group in trees.cycles(edges)]


def folder_cycles(tree):
    edges = tree.edges(os.path.dirname, in_layers)
    return [f"folders include each other: {' '.join(group)}" for group in trees.cycles(edges)]


def wrong_directions(tree):
    return [
        f"{source} includes {target}: {top(source)} may include {ALLOWED[top(source)]}"
        for source, target in tree.includes
        if in_layers(source) and top(target) in ALLOWED and top(target) not in ALLOWED[top(source)].split()
    ]


def crossed_readers(tree):
    return [
        f"{source} includes {target}: what two graph readers need belongs into sim/graph"
        for source, target in tree.includes
        if os.path.dirname(source) in READERS
        and os.path.dirname(target) in READERS
        and os.path.dirname(source) != os.path.dirname(target)
    ]


def rooms_without_a_sentence(tree):
    return purposes.folders_without_purpose()


def long_files(tree):
    found = []
    for name in tree.product():
        lines = (trees.ROOT / name).read_text(errors="replace").count("\n")
        if lines > LONGEST_FILE and not name.endswith(".def"):
            found.append(f"{name}: {lines} lines, at most {LONGEST_FILE}")
    return found


def rebuilt_sources(tree, names):
    """Sources that a change of these files compiles again."""
    users = collections.defaultdict(set)
    for source, target in tree.includes:
        users[target].add(source)
    reached, work = set(names), list(names)
    while work:
        for user in users[work.pop()] - reached:
            reached.add(user)
            work.append(user)
    return [f"{name}: compiled again" for name in sorted(reached) if re.search(r"\.(cpp|c)$", name)]


def rebuilt_by_parameters(tree):
    """The file with parameters that has most users. MachineParams names the sections and has no parameters."""
    files = [name for name in tree.sources if re.search(r"models/.*_params\.(h|def)$", name)]
    files.remove("models/chip/machine_params.h")
    return max((rebuilt_sources(tree, [name]) for name in files), key=len)


def rebuilt_by_op_codes(tree):
    """A new operator compiles these again; a changed property only those of rebuilt_by_operators()."""
    return rebuilt_sources(tree, ["kernels/tosa/op_codes.def"])


def rebuilt_by_operators(tree):
    return rebuilt_sources(tree, [name for name in tree.sources if name.endswith("/operators.def")])


def product_lines(tree):
    return [line for name in tree.product() for line in (trees.ROOT / name).read_text(errors="replace").split("\n")[:-1]]
