#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: docs/generate.sh PROGRAM [FOLDER]: writes commands.md and machine-file.md into FOLDER (default:
# docs/reference). Their texts come from the program okksim, which needs a complete build: some commands are in
# commands.so. The ctest entry `generated_documents` compares the pages.
set -euo pipefail
program=$(realpath "$1")
docs=$(realpath "$(dirname "$0")")
folder=$(realpath "${2:-$docs/reference}")
export COLUMNS=80 LC_ALL=C

# Names of the commands in the order of `okksim help`, with the commands inside `trace`.
command_names() {
    local name
    "$program" help | sed -n '/^Models:/,$ s/^  \([a-z][a-z]*\)  *[A-Z].*/\1/p' | while read -r name; do
        echo "$name"
        "$program" help "$name" | sed -n "/^Subcommands:/,\$ s/^  \([a-z][a-z]*\)  *[A-Z].*/$name \1/p"
    done
}

# The text of stdin without empty lines at its ends.
fenced() {
    echo '```text'
    sed -e '/./,$!d' | sed -e ':again' -e '/^\n*$/{$d;N;b again' -e '}'
    echo '```'
}

commands() {
    cat <<'END'
# Commands

`docs/generate.sh` generates this page from the program. The texts are those of `okksim help COMMAND`.
`okksim man COMMAND` prints a manual page, and `okksim completion SHELL` prints a completion script.
[Environment variables](environment-variables.md) and [exit codes](exit-codes.md) have separate pages.

END
    local name
    command_names | while read -r name; do echo "- [okksim $name](#okksim-${name// /-})"; done
    echo
    echo '## okksim'
    "$program" help | fenced
    command_names | while read -r name; do
        echo
        echo "## okksim $name"
        # shellcheck disable=SC2086  # the name of a command inside a command is two words
        "$program" help $name | fenced
    done
}

# Lines "section<tab>key<tab>value<tab>unit<tab>meaning<tab>source" of a machine.
parameters() {
    "$program" machine "$1" --dump | awk '
        /^\[/ { section = substr($0, 2, length($0) - 2); next }
        match($0, / +# /) {
            split(substr($0, 1, RSTART - 1), pair, / = /)
            split(substr($0, RSTART + RLENGTH), note, / \| /)
            print section "\t" pair[1] "\t" pair[2] "\t" note[1] "\t" note[2] "\t" note[3]
        }'
}

machine_names() {
    for file in "$docs"/../sim/machines/*.toml; do
        case $file in *.ensemble.toml) ;; *) basename "$file" .toml ;; esac
    done
}

machine_file() {
    cat <<'END'
# Machine files

`docs/generate.sh` generates this page from the program. `okksim machine --dump` prints the same values as a machine file.

A machine file is TOML. It has one section per unit, and each section has numbers, switches and names.
The key `base` names a built-in machine. All keys that the file does not give have the value of that machine.

```toml
base = "bm1684"
[chip]
lanes = 32
local_memory_bytes = "256KiB"
```

- `--machine FILE` takes the file, and `--machine NAME` takes a built-in machine.
- `--set section.key=value` changes one parameter, for example `--set bdc.clock_mhz=700`.
- Bytes are numbers or texts: `"64KiB"`, `"1.5MiB"`, `"2GiB"`, and decimal `"kB"`, `"MB"`, `"GB"`.
- A section `[memory.NAME]` adds a system memory ([models/memory](../../models/memory/README.md)).
- An unknown key, a wrong type or a value outside its range is an error. The message names the key and the rule.

The column source says where the value of `bm1684` comes from.
S is public documentation. M is a published measurement. D derives from these two. E is an independent cycle estimator.
"fitted" comes from recorded kernels and their silicon times. "assumed" is plausible and has no source.
"standard" is the value that every machine has if its file does not give one.
END
    parameters bm1684 | awk -F'\t' '
        $1 != section {
            section = $1
            print "\n## [" section "]\n\n| key | bm1684 | unit | meaning | source |\n|---|---|---|---|---|"
        }
        { print "| `" $2 "` | `" $3 "` | " $4 " | " $5 " | " $6 " |" }'
    echo
    echo '## Other built-in machines'
    echo
    echo 'The table has the parameters that differ from `bm1684`.'
    echo
    local names
    names=$(machine_names | grep -v '^bm1684$')
    echo "| parameter | bm1684 | $(paste -sd'|' <<<"$names" | sed 's/|/ | /g') |"
    echo "|---|---|$(sed 's/.*/---/' <<<"$names" | paste -sd'|')|"
    for name in bm1684 $names; do parameters "$name" | sed "s/^/$name\t/"; done | awk -F'\t' -v names="$names" '
        BEGIN { count = split(names, other, "\n") }
        { key = $2 "." $3; value[$1, key] = $4 }
        !(key in seen) { seen[key] = 1; order[++keys] = key }
        END {
            for (k = 1; k <= keys; k++) {
                key = order[k]; row = "| `" key "` | " shown(value["bm1684", key]); differs = 0
                for (n = 1; n <= count; n++) {
                    different = value[other[n], key] != value["bm1684", key]
                    differs += different
                    row = row " | " (different ? shown(value[other[n], key]) : "")
                }
                if (differs) print row " |"
            }
        }
        function shown(text) { return text == "" ? "-" : "`" text "`" }'
}

commands >"$folder/commands.md"
machine_file >"$folder/machine-file.md"
