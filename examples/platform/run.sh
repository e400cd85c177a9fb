#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh OKKSIM PLATFORM_EXAMPLE KERNEL_LIBRARY FOLDER
# Runs the kernel `scale` and MobileNetV2 on the platform with every kind of memory, and compares
# with `okksim kernel` and `okksim run`. The results must be equal in bytes. The chip's own memory and
# the memory `law` must also give equal times.
set -euo pipefail
export SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1
okksim=$1 platform=$2 kernel=$3 folder=$4
machine=(--set global.bytes=536870912)
rm -rf "$folder"
mkdir -p "$folder"
"$okksim" zoo mobilenet_v2 --precision int8 -o "$folder/net" > /dev/null

# The first run also writes the kernel's input.
mkdir "$folder/none"
"$platform" none "$folder/none" "$folder/net/model.tosa" "$folder/net/image.npy" > "$folder/none.text"
"$okksim" kernel "$kernel" --launch scale --out "$folder/scale.npy:f32[100000]" \
    --in "$folder/none/input.npy" --arg i32=100000 --arg f32=2.5 "${machine[@]}" \
    --set host.launch_nanoseconds=0.0 --set host.sync_nanoseconds=0.0 > "$folder/kernel.text"
"$okksim" run "$folder/net/model.tosa" --input "image=$folder/net/image.npy" \
    --out "$folder/result" "${machine[@]}" > "$folder/run.text"
kernel_time=$(grep -o 'scale: [0-9.]* us' "$folder/kernel.text")
run_time=$(grep -o 'simulated [0-9.]* us' "$folder/run.text")

# The values of a .npy file are its last bytes.
same_values() {
    cmp "$1" <(tail -c "$(stat -c %s "$1")" "$2")
}
for memory in none law fixed waiting; do
    mkdir -p "$folder/$memory"
    "$platform" "$memory" "$folder/$memory" "$folder/net/model.tosa" "$folder/net/image.npy" \
        > "$folder/$memory.text"
    same_values "$folder/$memory/scale.bin" "$folder/scale.npy"
    for output in "$folder"/result/*.npy; do
        same_values "$folder/$memory/$(basename "$output" .npy).bin" "$output"
    done
    echo "$memory memory: $(grep -o 'scale: [0-9.]* us' "$folder/$memory.text")," \
        "$(grep -o 'simulated [0-9.]* us' "$folder/$memory.text"); same bytes as okksim"
    case $memory in none | law)
        grep -qF "$kernel_time" "$folder/$memory.text"
        grep -qF "$run_time" "$folder/$memory.text"
        echo "    and the same times"
    esac
done
