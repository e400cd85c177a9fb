#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# No unused instructions: on a machine with all groups beyond the API reference, some kernel issues
# every row of these groups. The kernels are single operators, networks or rows of integers.
# usage: group_use.sh OKKSIM
set -u
okksim=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
"$okksim" zoo resnet50 --precision int8 --size 64 --width 0.25 -o residual > /dev/null || exit 1
"$okksim" zoo mobilenet_v2 --precision fp16 --size 64 --width 0.35 -o halves > /dev/null || exit 1
"$okksim" zoo mobilenet_v2 --precision int8 --size 64 --width 0.35 -o bytes > /dev/null || exit 1
"$okksim" zoo bert --precision int8 --size 16 --width 0.25 -o rows > /dev/null || exit 1
python3 - "$okksim" <<'PYTHON' || exit 1
import csv, glob, json, re, subprocess, sys

okksim = sys.argv[1]
# Copies in any order within local memory serve kernels of users: no operator keeps a tensor there.
UNUSED = {"gdma_transpose_L2L"}

def program(text, *types):
    """A function of arguments of these types; the last one is the result's."""
    inputs = ", ".join(f"%{i}: tensor<{t}>" for i, t in enumerate(types[:-1]))
    signature = ", ".join(f"tensor<{t}>" for t in types[:-1])
    operands = ", ".join(f"%{i}" for i in range(len(types) - 1))
    name, _, attributes = text.partition(" ")
    return (f"func.func @main({inputs}) -> tensor<{types[-1]}> {{\n"
            f"  %r = \"tosa.{name}\"({operands}) {attributes} : ({signature}) -> tensor<{types[-1]}>\n"
            f"  return %r : tensor<{types[-1]}>\n}}\n")

WORDS, BYTES, MASK = "2x5x3x40xi32", "2x5x3x40xi8", "2x5x3x40xi1"
programs = [program(op, WORDS, WORDS, WORDS) for op in
            ["add", "sub", "maximum", "minimum", "intdiv", "logical_left_shift", "logical_right_shift",
             "arithmetic_right_shift <{round = true}>", "arithmetic_right_shift <{round = false}>"]]
programs += [program(op, WORDS, WORDS) for op in ["abs", "clz"]]
programs += [program(op, WORDS, WORDS, MASK) for op in ["greater", "greater_equal", "equal"]]
programs += [program("select", MASK, WORDS, WORDS, WORDS), program("cast", WORDS, "2x5x3x40xf16"),
             program("gather", "2x9x7xi8", "2x5xi32", "2x5x7xi8"),
             program("scatter", "2x9x7xi8", "2x5xi32", "2x5x7xi8", "2x9x7xi8"),
             program("transpose <{perms = array<i32: 0, 2, 1>}>", "1x64x48xi8", "1x48x64xi8")]
programs += [program(op, "4x8x40xf16", "4x8x40xf16", "4x8x40xf16") for op in ["add", "sub", "maximum", "minimum"]]
values = ", ".join(str(100 * i - 25600) for i in range(513))
programs.append(f"""func.func @main(%x: tensor<4x40xi16>, %f: tensor<4x40xf16>) -> (tensor<4x40xi32>, tensor<4x40xf16>) {{
  %t = "tosa.const"() {{values = dense<[{values}]> : tensor<513xi16>}} : () -> tensor<513xi16>
  %s = "tosa.const"() {{values = dense<0> : tensor<1xi8>}} : () -> tensor<1xi8>
  %r = "tosa.table"(%x, %t) : (tensor<4x40xi16>, tensor<513xi16>) -> tensor<4x40xi32>
  %m = "tosa.mul"(%f, %f, %s) : (tensor<4x40xf16>, tensor<4x40xf16>, tensor<1xi8>) -> tensor<4x40xf16>
  return %r, %m : tensor<4x40xi32>, tensor<4x40xf16>
}}
""")
# Integers along rows share a kernel, in which constants are operands.
programs.append("""func.func @main(%x: tensor<64x32xi32>) -> tensor<64x32xi32> {
  %low = "tosa.const"() {values = dense<-100> : tensor<1x1xi32>} : () -> tensor<1x1xi32>
  %high = "tosa.const"() {values = dense<-3> : tensor<1x1xi32>} : () -> tensor<1x1xi32>
  %m = "tosa.reduce_max"(%x) <{axis = 1 : i32}> : (tensor<64x32xi32>) -> tensor<64x1xi32>
  %d = "tosa.sub"(%x, %m) : (tensor<64x32xi32>, tensor<64x1xi32>) -> tensor<64x32xi32>
  %a = "tosa.maximum"(%d, %low) : (tensor<64x32xi32>, tensor<1x1xi32>) -> tensor<64x32xi32>
  %b = "tosa.minimum"(%a, %high) : (tensor<64x32xi32>, tensor<1x1xi32>) -> tensor<64x32xi32>
  %e = "tosa.equal"(%b, %m) : (tensor<64x32xi32>, tensor<64x1xi32>) -> tensor<64x32xi1>
  %s = "tosa.select"(%e, %b, %d) : (tensor<64x32xi1>, tensor<64x32xi32>, tensor<64x32xi32>) -> tensor<64x32xi32>
  return %s : tensor<64x32xi32>
}
""")
models = glob.glob("*/model.tosa")
for number, text in enumerate(programs):
    name = f"{number}.mlir"
    with open(name, "w") as file:
        file.write(text)
    models.append(name)

issued = {}
for model in models:
    made = subprocess.run([okksim, "run", model, "--machine", "okk-next", "--no-data", "--commands", "commands.csv"],
                          capture_output=True, text=True)
    assert made.returncode == 0, (model, made.stderr, open(model, errors="replace").read()[:600])
    with open("commands.csv") as file:
        for row in csv.DictReader(file):
            issued.setdefault(row["command"].split(" ")[0].replace(".", "_"), model)

rows = {row["name"].replace(".", "_"): row.get("group", "base")
        for row in json.loads(subprocess.run([okksim, "isa", "--json"], capture_output=True, text=True).stdout)["instructions"]}
beyond = {name for name, group in rows.items() if group != "base"}
assert len(beyond) > 30, beyond
dead = sorted(name for name in beyond if name not in issued and name not in UNUSED)
assert not dead, ("no kernel issues", dead)
assert not UNUSED & set(issued), "has a kernel now"
print(len(beyond), "instructions,", len(beyond) - len(UNUSED), "issued by kernels")
PYTHON
