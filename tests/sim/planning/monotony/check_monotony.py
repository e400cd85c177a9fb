#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_monotony.py OKKSIM [--sample SEED] [--network NAME]... [--jobs N] [--store FILE]

A machine with more of something never makes a planned network slower: plans and times networks on a grid of
machines, and compares those that differ in one thing. More local memory, bandwidth or clock may cost 1 %, twice the
lanes 3 %. Prints what costs more, worst first, and ends with the number of comparisons; exit code 1 when anything
does. The whole grid is 200 machines and six networks and takes hours; --sample takes two neighbours of every axis and
one network, by the seed. A store keeps points, so that a run that was ended goes on where it was."""
import argparse
import csv
import io
import itertools
import os
import random
import subprocess
import sys
import tempfile

# Name in the zoo, and what its specification says besides.
NETWORKS = {
    'mobilenet_v2': {'zoo': 'mobilenet_v2'},
    'mobilenet_v2 int8': {'zoo': 'mobilenet_v2', 'precision': 'int8'},
    'resnet50': {'zoo': 'resnet50'},
    'vgg16': {'zoo': 'vgg16'},
    'yolov5s': {'zoo': 'yolov5s'},
    'bert': {'zoo': 'bert'},
}
# Planned in a second.
SAMPLED = ['mobilenet_v2', 'resnet50', 'vgg16']
KIB = 1024
# Ascending: what is more stands later.
AXES = {
    'lanes': [16, 32, 64, 128],
    'memory': [128 * KIB, 256 * KIB, 512 * KIB, 1024 * KIB, 2048 * KIB],
    'bandwidth': [0.5, 0.75, 1.0, 1.5, 2.0],
    'clock': [1.0, 1.5],
}
# What more of it may cost, as a share of the time.
MAY_COST = {'lanes': 0.03, 'memory': 0.01, 'bandwidth': 0.01, 'clock': 0.01}
# The parameters of an axis, and what a value of it stands for: rates and clocks as shares of the reference machine's.
PARAMETERS = {
    'lanes': {'chip.lanes': 1},
    'memory': {'chip.local_memory_bytes': 1},
    'bandwidth': {'dram.read_bytes_per_nanosecond': 32.0, 'dram.write_bytes_per_nanosecond': 27.3},
    'clock': {'bdc.clock_mhz': 550, 'gdma.clock_mhz': 575},
}


def setting(axis, value):
    """What a table of points has of it: the axis' first parameter."""
    return round(value * next(iter(PARAMETERS[axis].values())), 6)


def specification(axes, names):
    lines = ['name = "monotony"', 'machine = "bm1684"', 'set = ["mcu.issue=lists"]', 'objectives = ["us"]']
    for name in names:
        lines.append('[[workload]]')
        lines.append(f'name = "{name}"')
        lines += [f'{key} = "{value}"' for key, value in NETWORKS[name].items()]

    for axis, parameters in PARAMETERS.items():
        rows = ',\n'.join(
            f'{{ name = "{value}", ' + ', '.join(f'"{key}" = {of * value}' for key, of in parameters.items()) + ' }'
            for value in axes[axis])
        lines += ['[[axis]]', f'bundle = "{axis}"', f'values = [{rows}]']
    return '\n'.join(lines) + '\n'


def sampled(seed):
    """Two neighbours of every axis, and a network."""
    source = random.Random(seed)
    axes = {}
    for name, values in AXES.items():
        at = source.randrange(len(values) - 1)
        axes[name] = values[at:at + 2]
    return axes, [source.choice(SAMPLED)]


def times(okksim, text, jobs, store):
    """Microseconds by network and machine, and what failed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'monotony.toml')
        with open(path, 'w') as file:
            file.write(text)
        command = [okksim, 'sweep', path, '--csv', '--store', store or os.path.join(folder, 'm.sqlite')]
        if jobs:
            command += ['-j', str(jobs)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f'{" ".join(command)} ended with {done.returncode}')
    table, failures = {}, []
    for row in csv.DictReader(io.StringIO(done.stdout)):
        place = tuple(round(float(row[next(iter(PARAMETERS[axis]))]), 6) for axis in AXES)
        if row['us']:
            table[row['workload'], place] = float(row['us'])
        else:
            failures.append(f'{row["workload"]} on {place}: {row["failure"]}')
    return table, failures


def compared(table, axes, names):
    """Every network on every two machines that differ in one thing: network, axis, place, more, times. More lanes are
    twice as many."""
    keys = list(axes)
    for name, place in itertools.product(names, itertools.product(*axes.values())):
        for i, axis in enumerate(keys):
            at = axes[axis].index(place[i])
            last = at + 2 if axis == 'lanes' else len(axes[axis])
            for more in axes[axis][at + 1:last]:
                other = place[:i] + (more,) + place[i + 1:]
                before, after = (table.get((name, tuple(map(setting, keys, values)))) for values in (place, other))
                if before and after:
                    yield name, axis, dict(zip(keys, place)), more, before, after


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[2])
    parser.add_argument('okksim')
    parser.add_argument('--sample', type=int)
    parser.add_argument('--network', action='append', choices=list(NETWORKS))
    parser.add_argument('--jobs', type=int)
    parser.add_argument('--store')
    flags = parser.parse_args()
    axes, names = (AXES, list(NETWORKS)) if flags.sample is None else sampled(flags.sample)
    names = flags.network or names
    table, failures = times(flags.okksim, specification(axes, names), flags.jobs, flags.store)
    worse, count = [], 0
    for name, axis, place, more, before, after in compared(table, axes, names):
        count += 1
        cost = after / before - 1
        if cost > MAY_COST[axis]:
            machine = ', '.join(f'{key} {value}' for key, value in place.items())
            worse.append((cost, f'{name} ({machine}): {axis} {more} instead of {place[axis]} takes {after:.1f} us, '
                                f'{100 * cost:.1f} % more than {before:.1f}'))
    for line in failures:
        print(line)
    for _, line in sorted(worse, reverse=True):
        print(line)
    print(f'{count} comparisons on {len(table)} plans, {len(worse)} cost more than they may, {len(failures)} failed')
    return 1 if worse or failures or count == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
