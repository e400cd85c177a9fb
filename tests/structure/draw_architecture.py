#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/pictures/architecture.svg and docs/pictures/tree.svg from the sources.

usage: draw_architecture.py [--check]

The folders come from the tree, their purposes from the tables of the unit READMEs, and the includes from
the sources. This script only knows the stages. A stage takes a folder with all folders in it, unless
another stage names one of those. The script fails if a named folder does not exist or if a product folder
belongs to no stage. --check draws nothing; it fails if a committed picture differs from a fresh one.
"""
import os
import subprocess
import sys
import textwrap

import layers
import purposes
import svg
import tree as trees

PICTURES = trees.ROOT / "docs" / "pictures"

# Stage, what it hands to the next stage, folders. The first two lists are the path from a model file to a cycle.
FRONT = [
    ("Readers", "graph of TOSA 1.0", ["sim/graph/formats", "sim/graph/tosa_v1", "sim/graph/tosa_v090", "sim/graph/mlir",
                                      "sim/graph/xmodel", "sim/graph/onnx", "sim/graph/tflite", "sim/graph/compose",
                                      "sim/graph/protobuf", "sim/graph/flatbuffer", "sim/graph/foreign"]),
    ("Graph", "checked graph", ["sim/graph", "sim/files"]),
    ("Plan", "steps with decisions and addresses", ["sim/planning", "sim/pricing", "sim/bound"]),
    ("Run", "one kernel after the other", ["sim/execution"]),
    ("Kernels", "calls of okk functions", ["kernels"]),
]
BACK = [
    ("Firmware", "checked commands", ["firmware"]),
    ("Vocabulary", "records of 144 bytes", ["isa", "kernels/tosa"]),
    ("Chip", "commands whose turn it is", ["models/chip", "models/mcu", "models/sequencer", "models/host",
                                           "models/interconnect", "models/energy"]),
    ("Engines and memories", "", ["models/bdc", "models/gdma", "models/memory", "models/dram", "models/common"]),
]
AROUND = [
    ("Around the path: chip and results",
     [("Machine", "", ["sim/machine", "sim/machines", "sim/platform", "sim/device"]),
      ("Record and check", "", ["sim/trace", "sim/why", "sim/check"])]),
    ("Around the path: programs",
     [("Entrances", "", ["sim/cli", "sim/library", "sim/component", "sim/debugger", "sim/images", "python"]),
      ("Studies and reports", "", ["sim/report", "sim/study", "sim/zoo"]),
      ("Instruments of the project", "", ["sim/lab", "sim/golden"])]),
]
STAGES = FRONT + BACK + [stage for _, column in AROUND for stage in column]

COLUMN, GAP, MARGIN = 520, 70, 20
INDENT, NAME_WIDTH, LINE = 14, 138, 17
LETTER = 6.6  # pixels, of the widest usual font


def stage_of(name):
    """The stage that names the folder, or the nearest folder above it."""
    while name:
        for stage, _, folders in STAGES:
            if name in folders:
                return stage
        name = os.path.dirname(name)
    return None


def is_in(folder, name):
    return folder == name or folder.startswith(name + "/")


def contents():
    """{stage: [(folder, purpose)]}; ends the program if stages and tree do not fit."""
    folders, sentences = purposes.product_folders(), purposes.purposes()
    wrong = [f"stage '{stage}' names the folder {name}, which does not exist"
             for stage, _, names in STAGES for name in names if not any(is_in(folder, name) for folder in folders)]
    wrong += [f"folder {name} belongs to no stage" for name in folders if stage_of(name) is None]
    wrong += purposes.folders_without_purpose()
    if wrong:
        sys.exit("\n".join(wrong) + "\nThe stages are in tests/structure/draw_architecture.py, the purposes in the unit READMEs.")
    found = {}
    for stage, _, names in STAGES:
        listed = sorted((name for name in folders if stage_of(name) == stage), key=lambda name: place(names, name))
        found[stage] = [(name, sentences[name][0]) for name in listed]
    return found


def place(names, folder):
    """Folders stand in the order in which the stage names them, the folders in them after them."""
    above = max((name for name in names if is_in(folder, name)), key=len)
    return names.index(above), folder


def includes():
    """{stage: stages that its files include}"""
    edges = trees.Tree().edges(lambda name: stage_of(os.path.dirname(name)), lambda name: name.split("/")[0] in trees.PRODUCT)
    order = [stage for stage, _, _ in STAGES]
    return {stage: [other for other in order if other in edges.get(stage, {})] for stage in order}


class Box:
    """A stage: its name, the stages that it includes, a line per folder."""

    def __init__(self, stage, rows, targets):
        self.stage = stage
        self.rows = [(name, textwrap.wrap(sentence.replace("`", ""), int((COLUMN - 2 * INDENT - NAME_WIDTH) / LETTER))) for name, sentence in rows]
        text = "includes " + (", ".join(targets) if targets else "nothing")
        self.targets = textwrap.wrap(text, int((COLUMN - 2 * INDENT) / LETTER))
        self.lines = sum(max(1, len(lines)) for _, lines in self.rows)
        self.height = 34 + LINE * (self.lines + len(self.targets)) + 10

    def draw(self, drawing, x, y):
        drawing.box(x, y, COLUMN, self.height)
        drawing.text(x + INDENT, y + 22, self.stage, "title")
        at = y + 42
        for name, lines in self.rows:
            drawing.text(x + INDENT, at, name, "folder")
            for line in lines or [""]:
                drawing.text(x + INDENT + NAME_WIDTH, at, line, "purpose")
                at += LINE
        for line in self.targets:
            drawing.text(x + INDENT, at + 2, line, "faint")
            at += LINE


def draw_path(drawing, boxes, stages, x, y):
    """A column of stages with an arrow from each to the next; returns the bottom and the centre of the last."""
    for number, (stage, hands_on, _) in enumerate(stages):
        box = boxes[stage]
        box.draw(drawing, x, y)
        centre, y = y + box.height / 2, y + box.height
        if number + 1 < len(stages):
            drawing.arrow([(x + 40, y), (x + 40, y + 36)])
            drawing.text(x + 52, y + 23, hands_on, "label")
            y += 36
    return y, centre


def architecture():
    rows, targets = contents(), includes()
    boxes = {stage: Box(stage, rows[stage], targets[stage]) for stage, _, _ in STAGES}
    drawing = svg.Drawing(2 * MARGIN + 2 * COLUMN + GAP, "okksim from a model file to a cycle")
    left, right, top = MARGIN, MARGIN + COLUMN + GAP, 92
    drawing.text(left, 34, "From a model file to a cycle", "heading")
    drawing.text(left, 56, "Thick arrows show how work passes from stage to stage. Each box lists its folders and the stages that it includes.", "purpose")
    drawing.text(left + 52, top - 10, "model file", "label")
    drawing.arrow([(left + 40, top - 26), (left + 40, top)])
    bottom, last = draw_path(drawing, boxes, FRONT, left, top)
    back_bottom, _ = draw_path(drawing, boxes, BACK, right, top)
    first = top + boxes[BACK[0][0]].height / 2
    middle = left + COLUMN + GAP / 2
    drawing.arrow([(left + COLUMN, last), (middle, last), (middle, first), (right, first)])
    drawing.text(0, 0, FRONT[-1][1], "label", f"translate({middle - 6} {(first + last) / 2}) rotate(-90)", "middle")
    drawing.arrow([(right + 40, back_bottom), (right + 40, back_bottom + 30)])
    drawing.text(right + 52, back_bottom + 24, "the cycle in which each command starts and ends", "label")
    ends = []
    for x, y, (heading, column) in zip((left, right), (bottom, back_bottom + 30), AROUND):
        drawing.text(x, y + 42, heading, "heading")
        y += 58
        for stage, _, _ in column:
            boxes[stage].draw(drawing, x, y)
            y += boxes[stage].height + 16
        ends.append(y)
    return drawing.result(max(ends) + MARGIN - 16)


def unit_rows():
    """{unit: its folders without the unit's name}, tests included."""
    found = {unit: [] for unit in layers.ALLOWED}
    for name in purposes.product_folders():
        unit, _, rest = name.partition("/")
        if rest and rest.count("/") == 0:
            found[unit].append(rest)
    found["sim"] = sorted({rest.split("/")[0] for rest in found["sim"]})
    return found


def reduced(allowed):
    """Allowed includes without those that follow from others: {unit: [unit]}."""
    direct = {unit: set(text.split()) - {unit} for unit, text in allowed.items()}
    return {unit: sorted(other for other in others if not any(other in direct[through] for through in others if through != other))
            for unit, others in direct.items()}


def levels(edges):
    """Units by their longest way to a unit without includes."""
    depth = {}

    def of(unit):
        if unit not in depth:
            depth[unit] = 1 + max((of(other) for other in edges[unit]), default=-1)
        return depth[unit]

    for unit in edges:
        of(unit)
    return [[unit for unit in edges if depth[unit] == level] for level in range(max(depth.values()), -1, -1)]


def extents(edges):
    """{unit: (left, right)} as shares of the width: each unit stands above all units that it includes."""
    found = {}
    for level in reversed(levels(edges)):
        wide = {unit: (min([found[other][0] for other in edges[unit]], default=0), max([found[other][1] for other in edges[unit]], default=1))
                for unit in level}
        for unit in level:
            sharing = [other for other in level if wide[other] == wide[unit]]
            left, right = wide[unit]
            each = (right - left) / len(sharing)
            found[unit] = (left + each * sharing.index(unit), left + each * (sharing.index(unit) + 1))
    return found


def tree_picture():
    edges, rows = reduced(layers.ALLOWED), unit_rows()
    wide, gap, total = extents(edges), 40, 860
    drawing = svg.Drawing(2 * MARGIN + total, "Units of okksim and the includes that are allowed")
    drawing.text(MARGIN, 34, "Units, their folders and the allowed includes", "heading")
    drawing.text(MARGIN, 56, "An arrow points from a unit to a unit that it may include. The unit may also include all units below that one.", "purpose")
    boxes, y = {}, 76
    for level in levels(edges):
        tops = {}
        for unit in level:
            left, right = (MARGIN + share * (total + gap) for share in wide[unit])
            each = right - left - gap
            tops[unit] = (left, each, textwrap.wrap(" · ".join(rows[unit]), int((each - 2 * INDENT) / LETTER)))
        height = 40 + LINE * max(len(lines) for _, _, lines in tops.values())
        for unit, (x, each, lines) in tops.items():
            boxes[unit] = (x, y, each, height)
            drawing.box(x, y, each, height)
            drawing.text(x + INDENT, y + 24, unit, "title")
            for at, line in enumerate(lines):
                drawing.text(x + INDENT, y + 44 + LINE * at, line, "folder")
        y += height + 46
    for unit, others in edges.items():
        for other in others:
            draw_include(drawing, boxes[unit], boxes[other])
    return drawing.result(y - 46 + MARGIN)


def draw_include(drawing, upper, lower):
    """A straight arrow in the middle of the width that both boxes share."""
    left, right = max(upper[0], lower[0]), min(upper[0] + upper[2], lower[0] + lower[2])
    middle = (left + right) / 2
    drawing.arrow([(middle, upper[1] + upper[3]), (middle, lower[1])])


def committed_outputs():
    return {"architecture.svg": architecture(), "tree.svg": tree_picture()}


def main():
    is_checkout = subprocess.run(["git", "-C", str(trees.ROOT), "rev-parse"], capture_output=True).returncode == 0
    if not is_checkout:
        print("skipped: the list of files comes from git, and this is no checkout")
        sys.exit(77)
    check = sys.argv[1:] == ["--check"]
    stale = []
    for name, text in committed_outputs().items():
        path = PICTURES / name
        if check:
            if not path.is_file() or path.read_text() != text:
                stale.append(str(path.relative_to(trees.ROOT)))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    if stale:
        sys.exit(f"{' and '.join(stale)} differ from the sources: run tests/structure/draw_architecture.py and commit the pictures")


if __name__ == "__main__":
    main()
