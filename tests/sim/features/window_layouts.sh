#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# int8 convolutions whose commands read the window in another layout. With few channels, windows are
# unfolded on the way to local memory (all strides, dilations and paddings). The other case is a
# pixel with more channels than a command takes. Results have the bits of the reference machine.
# usage: window_layouts.sh OKKSIM WORK
set -eu
okksim=$1 work=$2/window_layouts
rm -rf "$work"
mkdir -p "$work"
cd "$work"
python3 - "$okksim" <<'PYTHON'
import filecmp, glob, random, re, subprocess, sys
okksim = sys.argv[1]
random.seed(5)

def ints(count, low, high):
    return ", ".join(str(random.randint(low, high)) for _ in range(count))

def network(name, shape, out_c, kernel, pad, stride, dilation, zero):
    n, h, w, c = shape
    pad = list(pad)
    for i, x in enumerate((h, w)):  # windows end where the padding does
        while (x - 1 + pad[2 * i] + pad[2 * i + 1] - (kernel[i] - 1) * dilation[i]) % stride[i] != 0:
            pad[2 * i + 1] += 1
    size = [(x + pad[2 * i] + pad[2 * i + 1] - (kernel[i] - 1) * dilation[i] - 1) // stride[i] + 1
            for i, x in enumerate((h, w))]
    i, f = f"{n}x{h}x{w}x{c}xi8", f"{out_c}x{kernel[0]}x{kernel[1]}x{c}xi8"
    o = f"{n}x{size[0]}x{size[1]}x{out_c}xi32"
    count = out_c * kernel[0] * kernel[1] * c
    text = f"""func.func @main(%x: tensor<{i}>) -> tensor<{o}> {{
  %w = "tosa.const"() {{values = dense<[{ints(count, -127, 127)}]> : tensor<{count}xi8>}} : () -> tensor<{count}xi8>
  %s = tosa.const_shape {{values = dense<[{out_c}, {kernel[0]}, {kernel[1]}, {c}]> : tensor<4xindex>}} : () -> !tosa.shape<4>
  %k = tosa.reshape %w, %s : (tensor<{count}xi8>, !tosa.shape<4>) -> tensor<{f}>
  %b = "tosa.const"() {{values = dense<[{ints(out_c, -9999, 9999)}]> : tensor<{out_c}xi32>}} : () -> tensor<{out_c}xi32>
  %z = "tosa.const"() {{values = dense<[{zero}]> : tensor<1xi8>}} : () -> tensor<1xi8>
  %y = "tosa.const"() {{values = dense<[0]> : tensor<1xi8>}} : () -> tensor<1xi8>
  %r = tosa.conv2d %x, %k, %b, %z, %y {{acc_type = i32, pad = array<i64: {pad[0]}, {pad[1]}, {pad[2]}, {pad[3]}>, stride = array<i64: {stride[0]}, {stride[1]}>, dilation = array<i64: {dilation[0]}, {dilation[1]}>}} : (tensor<{i}>, tensor<{f}>, tensor<{out_c}xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<{o}>
  return %r : tensor<{o}>
}}
"""
    open(f"{name}.mlir", "w").write(text)

def run(name, machine):
    out = f"{name}-{machine}"
    made = subprocess.run([okksim, "run", f"{name}.mlir", "--machine", machine, "--seed", "3", "-o", out,
                           f"--commands={out}.csv"], capture_output=True, text=True)
    assert made.returncode == 0, (name, machine, made.stderr)
    return open(f"{out}.csv").read()

#         input, output channels, kernel, padding, step, spacing, zero point
unfolds = [((1, 160, 151, 3), 8, (6, 6), (2, 2, 2, 2), (2, 2), (1, 1), -7),
           ((2, 121, 120, 3), 10, (7, 7), (3, 2, 3, 2), (2, 2), (1, 1), 3),
           ((1, 160, 151, 3), 8, (6, 6), (1, 1, 4, 5), (2, 2), (1, 2), 11),
           ((1, 160, 151, 2), 8, (7, 6), (0, 0, 0, 9), (2, 2), (1, 1), -128)]
folds = [((4, 1, 1, 8192), 70, (1, 1), (0, 0, 0, 0), (1, 1), (1, 1), 5)]
cases = [("unfold%d" % i, case) for i, case in enumerate(unfolds)] + [("fold%d" % i, case) for i, case in enumerate(folds)]
for name, case in cases:
    network(name, *case)
    run(name, "bm1684")
    commands = run(name, "okk-next")
    (taps,) = {int(k) for k in re.findall(r"int_conv2d .*?kernel_w=(\d+)", commands)}
    # One tap where the columns of the window are channels; 8192 channels are three columns or more, of equal parts.
    assert taps == (1 if name.startswith("unfold") else 4), (name, taps)
    for wanted in glob.glob(f"{name}-bm1684/*.npy"):
        assert filecmp.cmp(wanted, wanted.replace("bm1684", "okk-next"), shallow=False), wanted
print(len(cases), "convolutions, the same bits")
PYTHON
