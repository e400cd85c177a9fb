#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""guarded_readers.py ROOT BUILD: checks that sources which open files of users, and sources of SECURITY.md's
readers, are compiled with guards of stack and buffers."""
import json
import os
import re
import sys

ROOT, BUILD = (os.path.realpath(path) for path in sys.argv[1:3])
OPENS = re.compile(r'\b(open_input|read_json_text|map_file|open_regular|sqlite3_open_v2|read_machine_file)\(')
# Parses a file that another source has opened.
ALSO = ['isa/assembler.cpp', 'isa/codec.cpp', 'sim/trace/call_tokens.cpp', 'sim/trace/call_trace.cpp',
        'sim/study/sweep/sweep_spec.cpp', 'sim/graph/npy.cpp', 'sim/graph/mlir/mlir_lexer.cpp']
GUARDS = ['-fstack-protector-strong']
if 'CMAKE_BUILD_TYPE:STRING=Rel' in open(os.path.join(BUILD, 'CMakeCache.txt')).read():
    GUARDS.append('-D_FORTIFY_SOURCE=')

commands = {}
for entry in json.load(open(os.path.join(BUILD, 'compile_commands.json'))):
    file = os.path.realpath(os.path.join(entry['directory'], entry['file']))
    sources = [file]
    if '/Unity/' in file:
        sources = [os.path.realpath(path) for path in re.findall(r'#include "(.*)"', open(file).read())]
    for source in sources:
        commands.setdefault(os.path.relpath(source, ROOT), []).append(entry['command'])

readers = {name for name in commands if name.startswith(('isa/', 'models/', 'firmware/', 'kernels/', 'sim/'))
           and OPENS.search(open(os.path.join(ROOT, name)).read())} | set(ALSO)
failed = False
for name in sorted(readers):
    missing = [guard for guard in GUARDS for command in commands.get(name, ['']) if guard not in command]
    if missing:
        failed = True
        print(f'{name} reads files and is compiled without {missing[0]} (okksim_harden, okksim_harden_sources)')
print(f'{len(readers)} readers')
sys.exit(failed or len(readers) < 20)
