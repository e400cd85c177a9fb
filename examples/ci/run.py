#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Carries out the CI examples as a CI service does, except for the steps that need a network.

usage: run.py PROGRAM INCLUDE_FOLDER WORK_FOLDER

Each file runs twice. On the state of the baseline, every step passes. On a change that makes the kernel slower, the
gate fails and names the line.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
NETWORK = re.compile(r"\b(apt-get|curl|pip)\b")


def indent(line):
    return len(line) - len(line.lstrip())


def github_steps(text):
    """(commands, runs after a failure) of each step with `run: |`."""
    lines, steps = text.split("\n"), []
    for number, line in enumerate(lines):
        if line.strip() != "run: |":
            continue
        body = []
        for inner in lines[number + 1:]:
            if inner.strip() and indent(inner) <= indent(line):
                break
            body.append(inner.strip())
        step = []
        for before in reversed(lines[:number]):
            step.append(before.strip())
            if before.strip().startswith("- "):
                break
        steps.append(("\n".join(body), "if: always()" in step))
    return steps


def gitlab_steps(text):
    """The entries of `script`; a failure ends the job."""
    block = re.search(r"^  script:\n((?:    - .*\n)+)", text, re.M).group(1)
    return [(line.strip()[2:], False) for line in block.strip().split("\n")]


class Job:
    def __init__(self, program, include, folder):
        self.folder = folder
        self.environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}", OKKSIM_INCLUDE=str(include),
                                GITHUB_STEP_SUMMARY=str(folder / "summary.md"))

    def run(self, commands):
        run = subprocess.run(["bash", "-e", "-c", commands], cwd=self.folder, env=self.environment, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(f"$ {commands}\n{run.stdout}", end="")
        return run.returncode

    def carry_out(self, steps):
        """Exit code of the first step that fails, or 0."""
        failed = 0
        for commands, always in steps:
            if NETWORK.search(commands) or (failed and not always):
                continue
            failed = self.run(commands) or failed
        return failed


def failures(folder):
    return [case.get("name") + ": " + "".join(case.itertext())
            for case in xml.etree.ElementTree.parse(folder / "gate.xml").getroot().iter("testcase")
            if case.find("failure") is not None]


def must(is_so, what):
    if not is_so:
        sys.exit(f"FAILED: {what}")


def main():
    program, include, work = (pathlib.Path(argument).absolute() for argument in sys.argv[1:4])
    for name, steps_of in (("github-workflow.yml", github_steps), ("gitlab-ci.yml", gitlab_steps)):
        folder = work / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(HERE, folder)
        steps = steps_of((HERE / name).read_text())
        job = Job(program, include, folder)
        build = next(commands for commands, _ in steps if "cc -" in commands)
        must(job.run(f"mkdir -p build\n{build}\nokksim gate gate.toml --write baseline") == 0, "the baseline is written")
        must(job.carry_out(steps) == 0, f"{name}: every step passes")
        must(failures(folder) == [], f"{name}: gate.xml has no failure")
        kernel = folder / "kernels" / "sigmoid.c"
        line = "    okk_bdc_sigmoid(bytes, 0, 2 * bytes, &shape);\n"
        must(line in kernel.read_text(), "the kernel has the line that the change repeats")
        kernel.write_text(kernel.read_text().replace(line, line * 3))
        must(job.carry_out(steps) == 1, f"{name}: the gate fails for a slower kernel with exit code 1")
        found = failures(folder)
        must(len(found) == 1 and found[0].startswith("sigmoid: ") and "at sigmoid.c:" in found[0],
             f"{name}: gate.xml names the line of the kernel: {found}")
        must("| sigmoid |" in (folder / "gate.md").read_text(), f"{name}: gate.md has the table")
    must("LIMIT" in (work / "github-workflow.yml" / "summary.md").read_text(), "the summary has the verdict")


main()
