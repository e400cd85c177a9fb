#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hunt_mutants.py FOLDER [--count N] [--seed S] [--group WORD] [--only NUMBER,...]

Adds random mistakes to semantics, timing, judges, sanitizer and planner (subjects.txt). It builds them all
together in FOLDER, which is a copy of the tree, and runs the fast test programs against one after the other.
It prints the mutants that no test finds, and the score. The program chooses a mutant when it runs, so one build
serves all. Only test cases that pass a mutant are run with it. Mutants that do not compile are left out. Mutants
in equivalent.txt do not count. A mutant that no test passes has survived."""
import argparse
import collections
import glob
import hashlib
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

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


def described(places):
    """Names of the mutants. They stay the same if lines before them change."""
    seen, names = collections.Counter(), {}
    for (file, number, kind, at), text in places:
        name = f'{file} | {kind} {at} | {text}'
        seen[name] += 1
        names[file, number, kind, at] = name + f' | {seen[name]}' * (seen[name] > 1)
    return names


def equivalents(names):
    """Reasons of equivalent.txt for mutants. A row that fits no mutant is an error."""
    reasons, reason = {}, None
    for line in open(os.path.join(ROOT, 'tests/mutation/equivalent.txt')):
        line = line.rstrip('\n')
        if line.startswith('  '):
            if line.strip() not in names:
                sys.exit('equivalent.txt: no such mutant, take the row out: ' + line.strip())
            reasons[line.strip()] = reason
        elif line and not line.startswith('#'):
            reason = line
    return reasons


def choose(groups, count, seed):
    """Chooses `count` mutants, an equal number of each group: {mutant: (group, name)}. The choice does
    not depend on the rest of the sources."""
    chosen, all_names = {}, set()
    for group, files, _ in groups:
        maker = Maker(lambda where: True)
        for file in files:
            maker.source(file, open(os.path.join(ROOT, file)).read())
        names = described(maker.made)
        all_names |= set(names.values())
        shuffled = sorted(names, key=lambda where: hashlib.sha256(
            f'{seed} {names[where]}'.encode()).digest())
        for where in shuffled[:count // len(groups)]:
            chosen[where] = (group, names[where])
    return chosen, all_names


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
        if not found:  # the error is in another line than the mutant: drop the whole file
            for file in re.findall(r'([\w./-]+):\d+:\d+: error', block):
                found |= by_file.get(file.removeprefix('../../').removeprefix(target + '/'), set())
        broken |= found
    return broken


def program(target, test):
    return subprocess.check_output(['find', os.path.join(target, 'build/release/tests'), '-type', 'f',
                                    '-name', test], text=True).split()[0]


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_test(path, environment, seconds, cases=None):
    """Exit code of a test program's cases: those of the list, or all that need no vectors. It ends after
    `seconds` of processor time, however busy the host is. A program that sleeps ends after an hour."""
    limit = int(seconds) + 1
    with tempfile.NamedTemporaryFile('w') as chosen:
        words = ['~[golden]~[.]']
        if cases is not None:
            # Names are escaped as Catch expects them.
            chosen.write(''.join(re.sub(r'([\\,\[])', r'\\\1', case) + '\n' for case in cases))
            chosen.flush()
            words = ['-f', chosen.name]
        try:
            return subprocess.run([path, '--abort', '--warn', 'NoTests'] + words, env={**os.environ, **environment},
                                  cwd=os.path.dirname(path), timeout=3600,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU,
                                                                        (limit, limit)),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        except subprocess.TimeoutExpired:
            return 'timeout'


def reached_by_cases(path, base, file):
    """[(name, seconds, bytes of the mutants passed)] of the cases of a test program."""
    names = subprocess.run([path, '~[golden]~[.]', '--list-test-names-only'], text=True,
                           stdout=subprocess.PIPE, env={**os.environ, **base}).stdout.split('\n')
    cases = []
    for name in filter(None, names):
        open(file, 'wb').close()
        start = children_seconds()
        if run_test(path, {**base, 'OKKSIM_MUTANTS_REACHED': file}, 3600, [name]) != 0:
            sys.exit(f'{path} "{name}" fails without a mutant')
        cases.append((name, children_seconds() - start, open(file, 'rb').read()))
    return cases


def killer_of(id, programs, paths, cases, base):
    """The first test program that notices a mutant; '' when none does, None when none passes it."""
    passing = []
    for program_name in programs:
        chosen = [case for case in cases[program_name] if id < len(case[2]) and case[2][id]]
        if chosen:
            passing.append((sum(seconds for _, seconds, _ in chosen), program_name,
                            [name for name, _, _ in chosen]))
    for seconds, program_name, names in sorted(passing):
        if run_test(paths[program_name], {**base, 'OKKSIM_MUTANT': str(id)}, 10 + 5 * seconds,
                    names) != 0:
            return program_name
    return '' if passing else None


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
    chosen, names = choose(groups, options.count, options.seed)
    reasons = equivalents(names)
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
    reached = os.path.join(target, 'reached')
    cases = {test: reached_by_cases(paths[test], base, reached) for test in tests}
    only = {int(word) for word in options.only.split(',') if word}
    score = {name: [0, 0, 0, 0] for name, _, _ in groups}
    for id, (where, _) in enumerate(made):
        group, name = chosen[where]
        if only and id not in only or options.group not in group:
            continue
        if name in reasons:
            score[group][3] += 1
            continue
        programs = next(programs for g, _, programs in groups if g == group)
        killer = killer_of(id, programs, paths, cases, base)
        score[group][0 if killer else 2 if killer is None else 1] += 1
        if not killer:
            print(f'{id} line {where[1]} {"not reached" if killer is None else "survived"}\n  {name}',
                  flush=True)
    total = [sum(row[k] for row in score.values()) for k in range(4)]
    for group, (killed, survived, unreached, same) in list(score.items()) + [('all', total)]:
        if killed + survived + unreached == 0:
            continue
        share = 100 * killed / (killed + survived + unreached)
        print(f'{group}: {share:.1f} %: {killed} killed, {survived} survived, {unreached} not reached; '
              f'{same} more change nothing (equivalent.txt)')
    print(f'{len(broken)} did not compile; seed {options.seed}')
    sys.exit(0 if total[0] >= 0.95 * sum(total[:3]) else 1)


if __name__ == '__main__':
    main()
