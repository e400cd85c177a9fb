#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_rows.py: checks that every row of equivalent.txt fits a line of the sources, and that every
expression of mutants.txt still changes its file. It builds nothing. A change of a line changes its rows, too."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hunt_mutants


def stale_known(path):
    stale = []
    for line in open(path):
        if line.startswith('#') or not line.strip():
            continue
        name, file, rest = [part.strip() for part in line.rstrip('\n').split(' | ', 2)]
        expression = rest.rsplit(' |', 1)[0].rsplit(' | ', 1)[0].strip()  # it may hold " | " itself
        source = os.path.join(hunt_mutants.ROOT, file)
        changed = subprocess.run(['sed', '--', expression, source], text=True, stdout=subprocess.PIPE)
        if changed.returncode != 0 or changed.stdout == open(source).read():
            stale.append(f'mutants.txt: "{name}" changes nothing in {file}: mend or take out its expression')
    return stale


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    _, names = hunt_mutants.choose(hunt_mutants.subjects(''), 0, 1)
    hunt_mutants.equivalents(names)  # ends with an error for a row that matches no line
    stale = stale_known(os.path.join(here, 'mutants.txt'))
    print('\n'.join(stale) if stale else 'all rows fit')
    sys.exit(1 if stale else 0)


if __name__ == '__main__':
    main()
