#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fit_charges.py TABLE COUNTS... : instructions per piece of work (kernels/call/computing.cpp).

TABLE is kernels/call/computing.cpp; COUNTS are files of lines that charged_computing_test prints with
OKKSIM_COUNTS=1 and OKKSIM_PARTS=1, of a build with that very table. Prints rows for the table with which no launch is charged less
than it executed and all together as little as possible. Needs glpsol (Debian: glpk-utils).
"""
import re
import subprocess
import sys
import tempfile


def table_rows(path):
    text = open(path).read()
    return {name: (work, int(number)) for work, name, number in re.findall(
        r'\{OwnWork::(\w+), "([^"]+)", (\d+)\}', text)}


def launches(paths, rows):
    for path in paths:
        for line in open(path):
            found = re.match(r'(?:TOO LITTLE: )?(\d+) instructions, \d+ cycles charged, .*', line)
            if not found or ' FAULT ' in line:
                continue
            parts = dict(part.rsplit('=', 1) for part in line.strip().split('|')[1:])
            # Work that the table lacks (soft-float) keeps its charge and is not counted here.
            if not set(parts) <= set(rows):
                continue
            yield int(found.group(1)), {
                name: int(total) / rows[name][1] for name, total in parts.items()}


def solve(cases, rows):
    names = sorted(rows)
    variable = {name: 'x%d' % i for i, name in enumerate(names)}
    def terms(counts):
        return ' + '.join('%.10g %s' % (n, variable[name]) for name, n in counts.items() if n > 0)
    total = {}
    for instructions, counts in cases:
        for name, n in counts.items():
            # Every launch has the same weight, whatever its size.
            total[name] = total.get(name, 0) + n / instructions
    with tempfile.NamedTemporaryFile('w', suffix='.lp') as model:
        model.write('Minimize\n total: ' + terms(total) + '\nSubject To\n')
        for i, (instructions, counts) in enumerate(cases):
            model.write(' c%d: %s >= %d\n' % (i, terms(counts), instructions))
        model.write('End\n')
        model.flush()
        with tempfile.NamedTemporaryFile('r') as result:
            subprocess.run(['glpsol', '--lp', model.name, '-o', result.name], check=True,
                           stdout=subprocess.DEVNULL)
            answer = dict(re.findall(r'^\s*\d+ (x\d+)\s+\S+\s+([\d.e+-]+)', open(result.name).read(), re.M))
    return {name: float(answer.get(variable[name], 0)) for name in names}


def main():
    rows = table_rows(sys.argv[1])
    cases = list(launches(sys.argv[2:], rows))
    fitted = solve(cases, rows)
    for name, (work, old) in rows.items():
        print('    {OwnWork::%s, "%s", %d},  // was %d' % (work, name, -(-fitted[name] // 1), old))
    charged = sum(n * fitted[name] for _, counts in cases for name, n in counts.items())
    counted = sum(instructions for instructions, _ in cases)
    print('charged over counted: %.2f in %d launches' % (charged / counted, len(cases)))


if __name__ == '__main__':
    main()
