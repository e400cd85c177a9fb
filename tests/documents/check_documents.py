#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the documents say what the program does.

usage: check_documents.py PROGRAM WORK_FOLDER [--only NAME] [--update]

Links: every relative link of every Markdown file leads to a file of the tree.
Size: README.md has at most 120 lines of at most 120 characters.
Commands: the check carries out README.md, docs/tutorials/*.md and docs/how-to/*.md, each in a separate shell and folder.
    A block ```sh is run as a reader runs it, from the root of a checkout with a finished build.
    A block ```text after it shows what the program prints: each line is a line of the output, in this order.
    In a guide of docs/how-to, the lines may be of any earlier block, and `okksim` may end with exit code 1. A line `...` stands for any number of lines.
    A block whose first line contains `file: NAME`, or before which a line ends with "as `NAME`:", is a file that the
    reader saves under this name. After a comment <!-- after FILE -->, the commands of that guide run first.
    Commands that install or build are skipped, and so are blocks marked ```console.
Flags: each flag of a command `okksim NAME ...` in README.md and docs is a flag of this command.
Numbers: after a comment <!-- numbers from FILE -->, the bold texts of the next table occur in FILE.

--update replaces each line of a ```text block that the program did not print by the most similar line.
"""
import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
README_LINES = 120
LINE_CHARACTERS = 120
SKIPPED = re.compile(r"^\s*(sudo |apt|apt-get|make(?! -C)|cmake|cpack|ctest|git|pip|cd build/release)\b")
SAVED_AS = re.compile(r"[Ss]ave .*\bas `([^`/]+)`:$")
AFTER = re.compile(r"<!-- after (\S+) -->")
LINK = re.compile(r"\]\(([^)\s]+)\)|<img[^>]*\ssrc=\"([^\"]+)\"")
COMMAND_SECONDS = 300  # for the commands of one document


def tracked(pattern):
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", pattern], cwd=ROOT, check=True,
                         capture_output=True, text=True)
    return [name for name in out.stdout.split() if (ROOT / name).exists()]


def without_code(text):
    text = re.sub(r"^```.*?^```", lambda match: "\n" * match.group(0).count("\n"), text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "", text)


def check_links():
    for name in tracked("*.md"):
        text = without_code((ROOT / name).read_text())
        for match in LINK.finditer(text):
            target = (match.group(1) or match.group(2)).split("#")[0]
            if not target or re.match(r"[a-z]+:", target):
                continue
            if not ((ROOT / name).parent / target).exists():
                line = text.count("\n", 0, match.start()) + 1
                yield f"{name}:{line}: the link {target} leads to no file"


def check_size():
    lines = (ROOT / "README.md").read_text().rstrip("\n").split("\n")
    if len(lines) > README_LINES:
        yield f"README.md: {len(lines)} lines, at most {README_LINES}"
    for number, line in enumerate(lines, 1):
        if len(line) > LINE_CHARACTERS:
            yield f"README.md:{number}: {len(line)} characters, at most {LINE_CHARACTERS}"


def check_numbers():
    for name in tracked("*.md"):
        lines = (ROOT / name).read_text().split("\n")
        for number, line in enumerate(lines):
            source = re.fullmatch(r"<!-- numbers from (\S+) -->", line)
            if not source:
                continue
            path = ROOT / source.group(1)
            known = path.read_text() if path.exists() else ""
            following = lines[number + 1:]
            start = next((i for i, text in enumerate(following) if text.startswith("|")), len(following))
            for offset, row in enumerate(following[start:], start):
                if not row.startswith("|"):
                    break
                for value in re.findall(r"\*\*(.+?)\*\*", row):
                    if value not in known:
                        yield f"{name}:{number + offset + 2}: {value} does not occur in {source.group(1)}"


def blocks(text):
    """(language, first line number, lines, the line before) of every fenced block, which a list may indent."""
    language, start, body, indent, before, last = None, 0, [], 0, "", ""
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            if language is None:
                indent = len(line) - len(line.lstrip())
                language, start, body, before = line.lstrip()[3:].strip(), number + 1, [], last
            else:
                yield language, start, body, before
                language = None
        elif language is not None:
            body.append(line[indent:] if not line[:indent].strip() else line)
        last = line


def saved_name(language, body, before):
    """The name under which a reader saves a block; None for other blocks."""
    named = re.search(r"\bfile: (\S+)", body[0]) if body and language not in ("sh", "text") else None
    match = named or SAVED_AS.search(before)
    return match.group(1) if match else None


def commands_of(body, skipped, where):
    """The lines of a block without the commands that install or build."""
    kept, skip = [], False
    for line in body:
        continued = line.endswith("\\")
        if skip or SKIPPED.match(line):
            if not skip:
                skipped.append(f"{where}: {line.strip()}")
            skip = continued
            continue
        kept.append(line)
    return kept


class Document:
    def __init__(self, name):
        self.name = name
        self.is_guide = "/how-to/" in name
        self.script = ["set -euo pipefail"]
        if self.is_guide:  # guides also show differences, with exit code 1
            self.script.append('okksim() { command okksim "$@" || test $? = 1; }')
        self.shown = []     # (index of the commands, first line, lines)
        self.starts = []    # first line of each block of commands
        self.skipped = []
        text = (ROOT / name).read_text()
        for earlier in AFTER.findall(text):
            guide = Document(str(pathlib.PurePosixPath(name).parent / earlier))
            self.script += [line for line in guide.script if not line.startswith("echo '@@ block")]
        for language, start, body, before in blocks(text):
            file = saved_name(language, body, before)
            if file:
                self.script += [f"cat > '{file}' <<'@@ end of file'", *body, "@@ end of file"]
            elif language == "sh":
                self.script.append(f"echo '@@ block {len(self.starts)}'")
                self.script += commands_of(body, self.skipped, f"{name}:{start}")
                self.starts.append(start)
            elif language == "text" and self.starts:
                self.shown.append((len(self.starts) - 1, start, body))

    def run(self, program, work):
        """Output lines by block, and what went wrong."""
        folder = make_checkout(program, work)
        environment = dict(os.environ, COLUMNS="100", PATH=f"{folder}/bin:{os.environ['PATH']}", HOME=str(folder))
        for variable in [name for name in environment if name.startswith("OKKSIM_")]:
            del environment[variable]
        try:
            run = subprocess.run(["bash", "-c", "\n".join(self.script)], cwd=folder / "okksim", env=environment,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=COMMAND_SECONDS,
                                 errors="replace", stdin=subprocess.DEVNULL, text=True)
        except subprocess.TimeoutExpired:
            return [], [f"{self.name}: the commands take more than {COMMAND_SECONDS} s"]
        stdout = run.stdout.replace(f"{folder}/okksim/", "")
        outputs = [part.split("\n")[1:] for part in stdout.split("@@ block ")[1:]]
        if run.returncode != 0 and outputs:
            tail = "\n    ".join(outputs[-1][-15:])
            return outputs, [f"{self.name}:{self.starts[len(outputs) - 1]}: exit code {run.returncode}:\n    {tail}"]
        return outputs, []

    def compare(self, outputs):
        """(line number, shown line, most similar line) of each line that the program did not print."""
        for index, start, body in self.shown:
            if index >= len(outputs):
                continue
            printed = sum(outputs[:index + 1], []) if self.is_guide else outputs[index]
            output, at = [line.rstrip() for line in printed], 0
            for number, line in enumerate(body, start):
                line = line.rstrip()
                if not line or line == "...":
                    continue
                if line in output[at:]:
                    at = output.index(line, at) + 1
                    continue
                similar = difflib.get_close_matches(line, output, 1, 0.3)
                yield number, line, similar[0] if similar else None


def make_checkout(program, work):
    """A folder that looks like a checkout with a finished build."""
    shutil.rmtree(work, ignore_errors=True)
    checkout = work / "okksim"
    (checkout / "build").mkdir(parents=True)
    for entry in ROOT.iterdir():
        if entry.name == "examples":
            shutil.copytree(entry, checkout / entry.name)  # guides build there
        elif entry.name != "build" and not entry.name.startswith("."):
            (checkout / entry.name).symlink_to(entry)
    (checkout / "build" / "release").symlink_to(program.parents[2])
    (work / "bin").mkdir()
    (work / "bin" / "okksim").symlink_to(program)
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0:
            (work / "bin" / "python3").symlink_to(python)
            break
    return work


def update(name, wrong):
    path = ROOT / name
    lines = path.read_text().split("\n")
    for number, _, similar in wrong:
        if similar is not None:
            lines[number - 1] = similar
    path.write_text("\n".join(lines))


def used_flags(text):
    """(command, flag, line number) of every `okksim` command, in blocks and in running text."""
    joined = re.sub(r"\\\n", lambda match: "  ", text)
    for match in re.finditer(r"(?:^|`|/|\s)okksim ([a-z]+(?: (?:show|diff))?)\b([^`\n|#]*)", joined, flags=re.M):
        for flag in re.findall(r"(?<=\s)(--?[A-Za-z][a-z-]*)", match.group(2).split(" && ")[0]):
            yield match.group(1), flag, joined.count("\n", 0, match.start()) + 1


def check_flags(program):
    helps = {}
    for name in ["README.md", *tracked("docs/*.md")]:
        for command, flag, line in used_flags((ROOT / name).read_text()):
            if command not in helps:
                run = subprocess.run([program, "help", *command.split()], capture_output=True, text=True)
                helps[command] = run.stdout if run.returncode == 0 else None
            known = helps[command]
            if known is None or command == "help":
                continue  # a word after "okksim" in running text
            if re.search(r"(?<![\w-])" + re.escape(flag) + r"(?![\w-])", known) is None and not flag.startswith("-O"):
                yield f"{name}:{line}: okksim {command} has no flag {flag}"


def check_commands(program, work, only, updates):
    names = ["README.md", *sorted(tracked("docs/tutorials/*.md")), *sorted(tracked("docs/how-to/*.md"))]
    for name in names:
        if only and only not in name:
            continue
        document = Document(name)
        outputs, failures = document.run(program, work / pathlib.Path(name).stem)
        yield from failures
        wrong = [] if failures else list(document.compare(outputs))
        if updates:
            update(name, wrong)
        for number, line, similar in wrong:
            yield f"{name}:{number}: not printed: {line}\n    most similar:  {similar}"
        print(f"{name}: {len(outputs)} of {len(document.starts)} blocks run, {len(document.shown)} outputs compared")
        for command in document.skipped:
            print(f"    skipped {command}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--only", metavar="NAME", help="run only documents whose path contains NAME")
    parser.add_argument("--update", action="store_true", help="replace shown lines by what the program prints")
    arguments = parser.parse_args()
    complaints = [*check_links(), *check_size(), *check_numbers(), *check_flags(arguments.program.absolute()),
                  *check_commands(arguments.program.absolute(), arguments.work.absolute(), arguments.only,
                                  arguments.update)]
    print("\n".join(complaints))
    print(f"{len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
