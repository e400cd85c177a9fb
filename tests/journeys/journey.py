# SPDX-License-Identifier: Apache-2.0
"""A journey: a person follows one document word for word and must see certain things.

Each script of this folder is the journey of one person: `SCRIPT PROGRAM WORK_FOLDER`. It carries out the commands
of a document in a folder like a fresh checkout with a finished build. It checks each thing that the person must
see. Exit code 1 if one of them is missing.
"""
import argparse
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/documents"))
import check_documents  # noqa: E402

LEAST_COLOURS = 20  # of a picture that is not empty


def colours(png):
    """The number of different pixels of a PNG file of 8 bits per channel, before filters are undone."""
    data, at, packed = png.read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += length + 12
    raw = zlib.decompress(packed)
    return len({raw[i:i + 4] for i in range(0, len(raw), 4)})


class Journey:
    def __init__(self):
        parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
        parser.add_argument("program", type=pathlib.Path)
        parser.add_argument("work", type=pathlib.Path)
        arguments = parser.parse_args()
        self.program = arguments.program.absolute()
        self.work = arguments.work.absolute()
        self.folder = self.work / "okksim"
        self.output = ""
        self.failures = []

    def follow(self, name):
        """Carries out the commands of a document; its output is the text to look at."""
        document = check_documents.Document(name)
        outputs, failures = document.run(self.program, self.work)
        self.failures += failures
        self.output = "\n".join(line for output in outputs for line in output)
        print(f"{name}: {len(outputs)} of {len(document.starts)} blocks run")

    def save_files(self, name):
        """Saves the files that a document shows, such as kernels and sweeps."""
        for language, _, body, before in check_documents.blocks((ROOT / name).read_text()):
            file = check_documents.saved_name(language, body, before)
            if file:
                (self.folder / file).write_text("\n".join(body) + "\n")

    def code(self, name, language):
        """The blocks of one language in a document, as one text."""
        return "\n".join("\n".join(body) for kind, _, body, _ in check_documents.blocks((ROOT / name).read_text())
                         if kind == language)

    def run(self, line, exit_code=0, folder="."):
        """Carries out one more command, with the exit code that the document promises."""
        environment = dict(os.environ, PATH=f"{self.work}/bin:{os.environ['PATH']}", COLUMNS="100")
        run = subprocess.run(["bash", "-c", line], cwd=self.folder / folder, env=environment, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        self.output = run.stdout
        self.must(run.returncode == exit_code, f"`{line}` ends with {exit_code}, not with {run.returncode}:\n"
                  + run.stdout[-1500:])

    def must(self, is_so, what):
        if not is_so:
            self.failures.append(what)

    def sees(self, *texts):
        for text in texts:
            self.must(text in self.output, f"the output shows: {text}")

    def sees_number(self, pattern, low, high):
        """The first group of the pattern is a number between the two."""
        match = re.search(pattern, self.output)
        self.must(match is not None, f"the output has a line like {pattern}")
        if match:
            self.must(low <= float(match.group(1)) <= high, f"{match.group(0)}: between {low} and {high}")

    def sees_page(self, page, *texts):
        """A page contains the texts, and a browser draws it. Without chromium, only the texts are checked."""
        path = self.folder / page
        self.must(path.exists(), f"{page} exists")
        if not path.exists():
            return
        content = path.read_text()
        for text in texts:
            self.must(text in content, f"{page} contains: {text}")
        chromium = shutil.which("chromium")
        if chromium is None:
            print(f"{page}: not drawn, because chromium is not installed")
            return
        picture = self.work / "page.png"
        subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
                        f"--user-data-dir={self.work}/profile", "--window-size=1100,1250",
                        "--virtual-time-budget=5000", f"--screenshot={picture}", path.as_uri()],
                       capture_output=True, timeout=120)
        self.must(picture.exists() and colours(picture) >= LEAST_COLOURS, f"the picture of {page} is not empty")

    def sees_picture(self, name):
        path = self.folder / name
        self.must(path.exists() and colours(path) >= LEAST_COLOURS, f"the picture {name} is not empty")

    def end(self):
        for failure in self.failures:
            print(f"MISSING: {failure}")
        sys.exit(1 if self.failures else 0)
