#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_monotony.py OKKSIM [--sample SEED | --former] [--network NAME]... [--jobs N] [--store FILE]

A machine with more of something never makes a planned network slower. The program plans and times networks
on a grid of machines, and compares machines that differ in one thing. More local memory, bandwidth or clock may cost 1 %, twice the
lanes 3 %. The program prints higher costs, the worst first. It ends with the number of comparisons and the largest cost
along every axis. The exit code is 1 if a cost is above its limit. The whole grid is 200 machines and six networks,
reported one by one, and takes half an hour. --sample takes two neighbours of every axis and one network, by the seed.
--former takes the pairs of machines on which networks were slower once. A store keeps points, so that an interrupted
run continues."""
import argparse
import csv
import io
import itertools
import os
import random
import subprocess
import sys
import tempfile

# Name in the zoo, and further keys of its specification.
NETWORKS = {
    'mobilenet_v2': {'zoo': 'mobilenet_v2'},
    'mobilenet_v2 int8': {'zoo': 'mobilenet_v2', 'precision': 'int8'},
    'resnet50': {'zoo': 'resnet50'},
    'vgg16': {'zoo': 'vgg16'},
    'yolov5s': {'zoo': 'yolov5s'},
    'bert': {'zoo': 'bert'},
}
# The control processor of these networks loads values; a run with data on the reference machine
# provides them.
LOADS_VALUES = ['bert']
# Networks that are planned in a second.
SAMPLED = ['mobilenet_v2', 'resnet50', 'vgg16']
KIB = 1024
# Values in ascending order.
AXES = {
    'lanes': [16, 32, 64, 128],
    'memory': [128 * KIB, 256 * KIB, 512 * KIB, 1024 * KIB, 2048 * KIB],
    'bandwidth': [0.5, 0.75, 1.0, 1.5, 2.0],
    'clock': [1.0, 1.5],
}
# Largest allowed increase of time along an axis, as a share of the time.
MAY_COST = {'lanes': 0.03, 'memory': 0.01, 'bandwidth': 0.01, 'clock': 0.01}
# Network, machine, the axis along which time increased, and the larger value.
FORMER = [
    ('mobilenet_v2', (32, 1024 * KIB, 0.75, 1.0), 'memory', 2048 * KIB),
    ('mobilenet_v2', (64, 256 * KIB, 1.0, 1.5), 'memory', 512 * KIB),
    ('mobilenet_v2', (128, 256 * KIB, 0.75, 1.0), 'memory', 512 * KIB),
    ('mobilenet_v2', (64, 1024 * KIB, 0.5, 1.5), 'lanes', 128),
    ('resnet50', (64, 1024 * KIB, 1.0, 1.0), 'memory', 2048 * KIB),
    ('resnet50', (128, 512 * KIB, 1.0, 1.0), 'memory', 2048 * KIB),
    ('mobilenet_v2 int8', (32, 1024 * KIB, 0.75, 1.5), 'memory', 2048 * KIB),
    ('mobilenet_v2 int8', (128, 512 * KIB, 0.5, 1.5), 'memory', 2048 * KIB),
    ('yolov5s', (64, 512 * KIB, 0.5, 1.5), 'lanes', 128),
    ('yolov5s', (128, 1024 * KIB, 0.75, 1.0), 'memory', 2048 * KIB),
    ('bert', (16, 256 * KIB, 0.5, 1.5), 'memory', 2048 * KIB),
    ('bert', (16, 1024 * KIB, 0.5, 1.5), 'memory', 2048 * KIB),
]
# The parameters of each axis, and the scale of its values. Rates and clocks are shares of the
# reference machine's values.
PARAMETERS = {
    'lanes': {'chip.lanes': 1},
    'memory': {'chip.local_memory_bytes': 1},
    'bandwidth': {'dram.read_bytes_per_nanosecond': 32.0, 'dram.write_bytes_per_nanosecond': 27.3},
    'clock': {'bdc.clock_mhz': 550, 'gdma.clock_mhz': 575},
}


def setting(axis, value):
    """The value of the axis in a table of points: its first parameter."""
    return round(value * next(iter(PARAMETERS[axis].values())), 6)


def with_values(okksim, name, folder):
    """Lines of the specification for a network whose control processor loads values."""
    own = os.path.join(os.path.abspath(folder), name)
    graph, values = os.path.join(own, 'model.tosa'), os.path.join(own, 'values')
    if not os.path.exists(values):
        flags = [f'--{key}={value}' for key, value in NETWORKS[name].items() if key != 'zoo']
        subprocess.run([okksim, 'zoo', NETWORKS[name]['zoo'], *flags, '-o', own], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([okksim, 'run', graph, '--keep-values', values], check=True, stdout=subprocess.DEVNULL)
    return {'graph': graph, 'values': values}


def specification(axes, networks):
    lines = ['name = "monotony"', 'machine = "bm1684"', 'set = ["mcu.issue=lists"]', 'objectives = ["us"]']
    for name, keys in networks.items():
        lines.append('[[workload]]')
        lines.append(f'name = "{name}"')
        lines += [f'{key} = "{value}"' for key, value in keys.items()]

    for axis, parameters in PARAMETERS.items():
        rows = ',\n'.join(
            f'{{ name = "{value}", ' + ', '.join(f'"{key}" = {of * value}' for key, of in parameters.items()) + ' }'
            for value in axes[axis])
        lines += ['[[axis]]', f'bundle = "{axis}"', f'values = [{rows}]']  # a line each: long ones are refused
    return '\n'.join(lines) + '\n'


def sampled(seed):
    """Two neighbours of every axis, and a network."""
    source = random.Random(seed)
    axes = {}
    for name, values in AXES.items():
        at = source.randrange(len(values) - 1)
        axes[name] = values[at:at + 2]
    return axes, [source.choice(SAMPLED)]


def times(okksim, axes, names, jobs, store):
    """Microseconds by network and machine, and what failed."""
    with tempfile.TemporaryDirectory() as folder:
        # A store identifies graphs by their file paths.
        graphs = store + '.networks' if store else folder
        networks = {name: with_values(okksim, name, graphs) if name in LOADS_VALUES else NETWORKS[name]
                    for name in names}
        text = specification(axes, networks)
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
        if row.get('us'):
            table[row['workload'], place] = float(row['us'])
        else:
            failures.append(f'{row["workload"]} on {place}: {row["failure"]}')
    return table, failures


def compared(table, axes, names):
    """Every network on every two machines that differ in one thing: network, axis, position, more, times. More lanes
    are twice the number."""
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


class Verdict:
    """The comparisons up to now."""

    def __init__(self):
        self.worse, self.failures, self.plans = [], [], 0
        self.comparisons = dict.fromkeys(AXES, 0)
        self.largest = {}

    def add(self, okksim, axes, names, jobs, store):
        table, failures = times(okksim, axes, names, jobs, store)
        self.failures += failures
        self.plans += len(table)
        for name, axis, place, more, before, after in compared(table, axes, names):
            self.comparisons[axis] += 1
            cost = after / before - 1
            self.largest[axis] = max(self.largest.get(axis, cost), cost)
            if cost > MAY_COST[axis]:
                machine = ', '.join(f'{key} {value}' for key, value in place.items())
                self.worse.append((cost, f'{name} ({machine}): {axis} {more} instead of {place[axis]} takes '
                                         f'{after:.1f} us, {100 * cost:.1f} % more than {before:.1f}'))

    def summary(self):
        largest = ', '.join(f'{axis} {100 * cost:+.2f} % of {100 * MAY_COST[axis]:.0f} % in {self.comparisons[axis]}'
                            for axis, cost in self.largest.items())
        return (f'{sum(self.comparisons.values())} comparisons on {self.plans} plans, {len(self.worse)} cost more '
                f'than they may, {len(self.failures)} failed; largest cost of more: {largest}')

    def is_good(self):
        return not self.worse and not self.failures and sum(self.comparisons.values()) > 0


def pair_axes(place, axis, more):
    axes = {key: [value] for key, value in zip(AXES, place)}
    axes[axis].append(more)
    return axes


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[2])
    parser.add_argument('okksim')
    parser.add_argument('--sample', type=int)
    parser.add_argument('--former', action='store_true')
    parser.add_argument('--network', action='append', choices=list(NETWORKS))
    parser.add_argument('--jobs', type=int)
    parser.add_argument('--store')
    flags = parser.parse_args()
    verdict = Verdict()
    if flags.former:
        for name, place, axis, more in FORMER:
            verdict.add(flags.okksim, pair_axes(place, axis, more), [name], flags.jobs, flags.store)
    else:
        axes, names = (AXES, list(NETWORKS)) if flags.sample is None else sampled(flags.sample)
        for name in flags.network or names:
            verdict.add(flags.okksim, axes, [name], flags.jobs, flags.store)
            print(f'{name}: {verdict.summary()}', flush=True)
    for line in verdict.failures:
        print(line)
    for _, line in sorted(verdict.worse, reverse=True):
        print(line)
    print(verdict.summary())
    return 0 if verdict.is_good() else 1


if __name__ == '__main__':
    sys.exit(main())
