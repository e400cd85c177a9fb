# SPDX-License-Identifier: Apache-2.0
"""Builds the Python package: CMake builds `okksim._core` and its libraries, and setuptools packs them.

OKKSIM_BUILD names the build folder (build/release); a folder that is built already is used as it is.
OKKSIM_BUNDLE=1 also packs the libraries of other projects, for machines that lack them (`make wheel`).
"""
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = pathlib.Path(__file__).resolve().parent
BUILD = SOURCE / os.environ.get("OKKSIM_BUILD", "build/release")
BUNDLE = os.environ.get("OKKSIM_BUNDLE") == "1"
# Every Linux with the glibc of the wheel's platform tag has these libraries.
ANYWHERE = re.compile(r"(ld-linux|libc|libm|libstdc\+\+|libgcc_s|libpthread|libdl|librt)\b")


def version():
    return re.search(r"project\(okksim VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)


def output(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def pack_foreign(files, folder):
    """Copies the libraries of other projects and their licences, and lets all files find them."""
    if not shutil.which("patchelf"):
        sys.exit("OKKSIM_BUNDLE=1 needs patchelf, which is not installed; run `apt-get install patchelf`")
    for name, path in re.findall(r"^\s*(\S+) => (/\S+)", "".join(output("ldd", file) for file in files), re.MULTILINE):
        if ANYWHERE.match(name) or name.startswith("libokksim") or (folder / name).exists():
            continue
        real = os.path.realpath(path)
        shutil.copy(real, folder / name)
        owner = output("dpkg-query", "-S", f"*/{os.path.basename(real)}").split(":")[0]
        shutil.copy(f"/usr/share/doc/{owner}/copyright", folder / f"{owner}.copyright")
    for file in folder.glob("*.so*"):
        subprocess.run(["patchelf", "--set-rpath", "$ORIGIN", file], check=True)


class CMakeBuild(build_ext):
    def run(self):
        if not (BUILD / "CMakeCache.txt").exists():
            subprocess.run(["cmake", "-G", "Ninja", "-S", SOURCE, "-B", BUILD, "-DCMAKE_BUILD_TYPE=Release",
                            "-DOKKSIM_PYTHON=ON", f"-DPython3_EXECUTABLE={sys.executable}"], check=True)
        jobs = os.environ.get("JOBS", str(os.cpu_count()))
        subprocess.run(["cmake", "--build", BUILD, "-j", jobs, "--target", "okksim_python"], check=True)
        module = BUILD / "python/okksim" / f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
        if not module.exists():
            sys.exit(f"{module} is missing: the build folder is for another Python than {sys.executable}; "
                     "set OKKSIM_BUILD to a new folder")
        package = pathlib.Path(self.build_lib) / "okksim"
        libraries = package / "libraries"
        shutil.rmtree(libraries, ignore_errors=True)
        libraries.mkdir(parents=True)
        shutil.copy(module, package)
        own = sorted((BUILD / "sim/library").glob("libokksim*.so.[0-9]"))
        for library in own:
            shutil.copy(library, libraries)
        for file in (package / module.name, *libraries.iterdir()):
            subprocess.run(["strip", "--strip-unneeded", file], check=True)
        if BUNDLE:
            pack_foreign([module, *own], libraries)


glibc = platform.libc_ver()[1].replace(".", "_")
tag = {"bdist_wheel": {"plat_name": f"manylinux_{glibc}_{platform.machine()}"}} if BUNDLE else {}
setup(version=version(), ext_modules=[Extension("okksim._core", [])], cmdclass={"build_ext": CMakeBuild}, options=tag)
