#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hunt_mutants.py FOLDER [--count N] [--seed S] [--group WORD] [--only NUMBER,...]

Takes mistakes in at random places of semantics, timing, judges, sanitizer and planner (subjects.txt),
builds them all together in FOLDER, which is a copy of the tree, runs the fast test programs against
one after the other, and prints which ones nobody notices, and the score. A mutant is chosen when the
program runs, so one build serves all. What does not compile, and what no test passes, is left out,
and told apart."""
import argparse
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from make_mutants import Maker

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..'))


def subjects(word):
    groups = []
    for line in open(os.path.join(ROOT, 'tests/mutation/subjects.txt')):
        if line.startswith('#') or not line.strip():
            continue
        name, files, tests = [part.strip() for part in line.split('|')]
        if word in name:
            paths = sorted(sum((glob.glob(os.path.join(ROOT, f)) for f in files.split()), []))
            groups.append((name, [os.path.relpath(p, ROOT) for p in paths], tests.split()))
    return groups


def choose(groups, count, seed):
    """Places of `count` mutants, as many of each group."""
    chosen, randomly = {}, random.Random(seed)
    for name, files, _ in groups:
        maker = Maker(lambda where: True)
        for file in files:
            maker.source(file, open(os.path.join(ROOT, file)).read())
        places = [where for where, _ in maker.made]
        randomly.shuffle(places)
        for where in places[:count // len(groups)]:
            chosen[where] = name
    return chosen


def copy_tree(target, mutated):
    names = subprocess.check_output(['git', '-C', ROOT, 'ls-files', '-co',
                                     '--exclude-standard'], text=True).split('\n')
    for name in sorted(set(filter(None, names)) - mutated):
        destination = os.path.join(target, name)
        os.makedirs(os.path.dirname(destination), exist_ok=True)
        source = os.path.join(ROOT, name)
        if not os.path.isfile(source):
            continue
        data = open(source, 'rb').read()
        if os.path.exists(destination) and open(destination, 'rb').read() == data:
            continue
        shutil.copy2(source, destination)


def write_mutants(target, groups, chosen, broken):
    maker = Maker(lambda where: where in chosen and where not in broken)
    for _, files, _ in groups:
        for file in files:
            text = maker.source(file, open(os.path.join(ROOT, file)).read())
            path = os.path.join(target, file)
            if not os.path.exists(path) or open(path).read() != text:
                open(path, 'w').write(text)
    return maker.made


def build(target, tests, jobs):
    tree = os.path.join(target, 'build/release')
    if not os.path.exists(os.path.join(tree, 'build.ninja')):
        subprocess.check_call(['cmake', '-G', 'Ninja', '-S', target, '-B', tree,
                               '-DCMAKE_BUILD_TYPE=Release'],
                              stdout=subprocess.DEVNULL)
    run = subprocess.run(['ninja', '-C', tree, '-k', '0', '-j', str(jobs)] + tests, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return run.returncode, run.stdout


def places_of_errors(log, made, target):
    """Mutants on lines that the compiler speaks of in what belongs to an error."""
    by_line, by_file = {}, {}
    for where, _ in made:
        by_line.setdefault((where[0], where[1]), set()).add(where)
        by_file.setdefault(where[0], set()).add(where)
    broken = set()
    for block in re.split(r'\nFAILED: ', log)[1:]:
        found = set()
        for file, line in re.findall(r'([\w./-]+):(\d+)[:,]', block):
            file = file.removeprefix('../../').removeprefix(target + '/')
            found |= by_line.get((file, int(line) - 1), set())  # a line more: mutant.h
        if not found:  # the compiler speaks of another place than the mutant's: the whole file
            for file in re.findall(r'([\w./-]+):\d+:\d+: error', block):
                found |= by_file.get(file.removeprefix('../../').removeprefix(target + '/'), set())
        broken |= found
    return broken


def program(target, test):
    return subprocess.check_output(['find', os.path.join(target, 'build/release/tests'), '-type', 'f',
                                    '-name', test], text=True).split()[0]


def run_test(path, environment, seconds):
    try:
        return subprocess.run([path, '~[golden]~[.]'], env={**os.environ, **environment},
                              cwd=os.path.dirname(path), timeout=seconds,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    except subprocess.TimeoutExpired:
        return 'timeout'


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument('folder')
    arguments.add_argument('--count', type=int, default=400)
    arguments.add_argument('--seed', type=int, default=1)
    arguments.add_argument('--group', default='', help='score only groups of this word')
    arguments.add_argument('--only', default='')
    arguments.add_argument('--jobs', type=int, default=os.cpu_count())
    options = arguments.parse_args()
    target = os.path.abspath(options.folder)
    groups = subjects('')
    chosen = choose(groups, options.count, options.seed)
    copy_tree(target, {file for _, files, _ in groups for file in files})
    tests = sorted({test for name, _, programs in groups if options.group in name
                    for test in programs})
    broken = set()
    while True:
        made = write_mutants(target, groups, chosen, broken)
        status, log = build(target, tests, options.jobs)
        if status == 0:
            break
        more = places_of_errors(log, made, target)
        open(os.path.join(target, 'build.log'), 'w').write(log)
        if not more:
            sys.exit('does not compile, and not for a mutant: ' + target + '/build.log')
        broken |= more
        print(f'{len(more)} mutants do not compile and are taken back', flush=True)
    paths = {test: program(target, test) for test in tests}
    base = {'OKKSIM_SOURCE_DIR': ROOT}
    reach, times = {}, {}
    for test in tests:
        file = os.path.join(target, 'reached-' + test)
        if os.path.exists(file):
            os.remove(file)
        start = time.monotonic()
        if run_test(paths[test], {**base, 'OKKSIM_MUTANTS_REACHED': file}, 3600) != 0:
            sys.exit(test + ' fails without a mutant')
        times[test] = time.monotonic() - start
        reach[test] = open(file, 'rb').read() if os.path.exists(file) else b''
    only = {int(word) for word in options.only.split(',') if word}
    score = {name: [0, 0, 0] for name, _, _ in groups}
    for id, (where, text) in enumerate(made):
        name = chosen[where]
        if only and id not in only or options.group not in name:
            continue
        programs = next(t for n, _, t in groups if n == name)
        passing = [t for t in programs if id < len(reach[t]) and reach[t][id]]
        killer = None
        for test in sorted(passing, key=times.get):
            status = run_test(paths[test], {**base, 'OKKSIM_MUTANT': str(id)}, 20 + 10 * times[test])
            if status != 0:
                killer = test
                break
        outcome = 'killed' if killer else 'survived' if passing else 'not reached'
        score[name][0 if killer else 1 if passing else 2] += 1
        if not killer:
            print(f'{outcome} {id}: {where[0]}:{where[1]} {where[2]} at {where[3]}: {text}', flush=True)
    total = [sum(row[k] for row in score.values()) for k in range(3)]
    for name, (killed, survived, unreached) in list(score.items()) + [('all', total)]:
        if killed + survived + unreached == 0:
            continue
        share = 100 * killed / (killed + survived + unreached)
        print(f'{name}: {killed} killed, {survived} survived, {unreached} not reached: {share:.1f} %')
    print(f'{len(broken)} did not compile; seed {options.seed}')
    sys.exit(0 if total[0] >= 0.95 * sum(total) else 1)


if __name__ == '__main__':
    main()
