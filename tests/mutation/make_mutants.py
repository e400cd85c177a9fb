#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_mutants.py FILE... < settings: writes mutants into sources, all of them at once (mutant.h).

Operators, constants, minima, conditions joined by && and ||, and statements are exchanged where a
line shows their kind. No compiler checks them, so hunt_mutants.py takes back mutants that do not compile."""
import re

OPERATORS = {'<': 'lt', '<=': 'le', '>': 'gt', '>=': 'ge', '==': 'eq', '!=': 'ne', '+': 'plus',
             '-': 'minus', '*': 'times', '/': 'over', '%': 'modulo', '&': 'bit_and',
             '|': 'bit_or', '<<': 'shift_left', '>>': 'shift_right'}
# Texts for people, decisions at compile time, and internal consistency checks.
SKIPPED = re.compile(r'^\s*(#|//|/\*|\*|template|using|case|enum|static_assert|namespace|struct|class)'
                     r'|constexpr|operator|throw |ConfigError|fmt::|OKKSIM_CHECK|"|sizeof|alignof'
                     r'|HWY_|std::array<|new ')
BINARY = re.compile(r' (<=|>=|==|!=|<<|>>|<|>|\+|-|\*|/|%|&|\|) (?=[\w(~!-])')
NUMBER = re.compile(r'(?<![\w.\'<{\[])(\d{1,6})(?![\w.\'>\]])')
MINIMUM = re.compile(r'std::(min|max)\((?!\{)')
STATEMENT = re.compile(r'^(\s+)([A-Za-z_][\w.:\->\[\]]*\(.*\);)$')
ASSIGNMENT = re.compile(r'^(\s+)([\w.:\->\[\]]+ (?:\+|-|\||&)= .*;)$')
JOINED = re.compile(r'^(\s*(?:\} else )?if \()(.*)(\) (?:\{|return .*;|continue;|break;))$')


def parts(condition, joint):
    """Operands of a condition that && or || joins at its top level; nothing when both do."""
    depth, start, found = 0, 0, []
    i = 0
    while i < len(condition):
        c = condition[i]
        depth += c in '([{'
        depth -= c in ')]}'
        if depth < 0:
            return []
        pair = condition[i:i + 2]
        if depth == 0 and (c in '?,;' or (pair in ('&&', '||') and pair != joint)):
            return []
        if depth == 0 and pair == joint:
            found.append(condition[start:i].strip())
            start, i = i + 2, i + 1
        i += 1
    return found + [condition[start:].strip()] if found and depth == 0 else []


class Maker:
    """Numbers mutants; `wanted` is a predicate of (file, line number, kind, position)."""

    def __init__(self, wanted):
        self.wanted = wanted
        self.made = []

    def add(self, where, text):
        if not self.wanted(where):
            return None
        self.made.append((where, text.strip()))
        return len(self.made) - 1

    def line(self, file, number, text):
        if SKIPPED.search(text) or '//' in text:
            return text
        indent = len(text) - len(text.lstrip())
        # Positions of operators count from the first letter of the line.
        where = lambda kind, at: (file, number, kind, at)
        # One kind of mutant encloses a line, the others are inside it: the inner ones are made
        # first.
        out = text
        def binary(match):
            kind = OPERATORS[match.group(1)]
            id = self.add(where(kind, match.start() - indent), text)
            return match.group(0) if id is None else \
                f' {match.group(1)} okksim::mutation::{kind}<{id}>{{}} {match.group(1)} '
        def constant(match):
            id = self.add(where('constant', match.start() - indent), text)
            return match.group(0) if id is None else \
                f'okksim::mutation::constant({id}, {match.group(1)})'
        def minimum(match):
            id = self.add(where(match.group(1), match.start() - indent), text)
            return match.group(0) if id is None else \
                f'okksim::mutation::{match.group(1)}<{id}>('
        tokens = []
        for pattern, change in ((BINARY, binary), (NUMBER, constant), (MINIMUM, minimum)):
            tokens += [(m.start(), m.end(), m, change) for m in pattern.finditer(text)]
        tokens.sort(key=lambda token: token[:2])
        out, at = '', 0
        for start, end, match, change in tokens:
            if start < at:
                continue
            out += text[at:start] + change(match)
            at = end
        out += text[at:]
        joined = JOINED.match(out)
        if joined:
            for joint, before in (('&&', '||'), ('||', '&&')):
                operands = parts(joined.group(2), joint)
                kept = []
                for k, operand in enumerate(operands):
                    id = self.add(where('operand ' + joint, k), text)
                    on = f'okksim::mutation::on({id})'
                    negated = on if before == '||' else '!' + on
                    kept.append(operand if id is None else f'({negated} {before} ({operand}))')
                if operands:
                    return joined.group(1) + f' {joint} '.join(kept) + joined.group(3) + '\n'
        for pattern in (STATEMENT, ASSIGNMENT):
            statement = pattern.match(out)
            if statement:
                id = self.add(where('statement', 0), text)
                if id is not None:
                    return f'{statement.group(1)}if (!okksim::mutation::on({id})) ' \
                           f'{statement.group(2)}\n'
        return out

    def source(self, file, text):
        lines, out, continued, in_body = text.splitlines(keepends=True), [], False, False
        for number, line in enumerate(lines, 1):
            out.append(line if continued else self.line(file, number, line.rstrip('\n')).rstrip('\n')
                       + '\n')
            continued = line.rstrip().endswith('\\')
        return '#include "tests/mutation/mutant.h"\n' + ''.join(out)
