"""The parts of the build that pyproject.toml cannot say: the packages inside the rooms, the C extensions, which are optional, and
editable installs that type checkers and editors can follow.

Where they cannot be compiled (or ``NPEXPORT_BUILD_EXTENSION=0`` says not to), the package installs without them:
``npexport.frame_hook()`` is ``"settrace"``, programs keep no memory between calls, check their inputs in Python, and compute operator by
operator.
"""

import os
import runpy
import shutil
from pathlib import Path

from setuptools import Extension, find_packages, setup
from setuptools.command.editable_wheel import editable_wheel

ROOMS = ("symshapes", "ir", "runtime", "tracer")
TREE = Path(".editable")
HEADERS = sorted(map(str, Path("runtime").glob("_*.h")))


class EditableTree(editable_wheel):
    """Installs ``.editable``, where links show the rooms inside ``npexport/`` as a wheel has them.

    The import hook that setuptools would write for rooms beside ``npexport/`` is followed by Python alone; a folder on the
    path is followed by type checkers and editors too. At run time only ``npexport/__init__.py`` is read through its link.
    Where links cannot be made, the import hook is what there is.
    """

    def finalize_options(self):
        try:
            shutil.rmtree(TREE, ignore_errors=True)
            (TREE / "npexport").mkdir(parents=True)
            for item in [*Path("npexport").glob("[!_.]*"), *Path("npexport").glob("__*.py*"), *map(Path, ROOMS)]:
                (TREE / "npexport" / item.name).symlink_to(Path("..", "..", item), target_is_directory=item.is_dir())
        except OSError:
            pass
        else:
            self.distribution.package_dir = {"": str(TREE)}
        super().finalize_options()


packages = ["npexport", "npexport.nn"]
packages += [f"npexport.{name}" for room in ROOMS for name in find_packages(include=[room, f"{room}.*"])]

checks = runpy.run_path("runtime/extensions.py")


def extension(name: str, depends: list[str]) -> Extension:
    """An extension that can be left out, which knows the checksum of its sources."""
    source = f"{name.replace('.', '/')}.c"
    macros = [(checks["MACRO"], f"{checks['checksum'](Path(source))}L")]
    return Extension(f"npexport.{name}", [source], depends=depends, define_macros=macros, optional=True)


extensions = [extension("tracer.frames._evalframe", [])]
extensions += [extension(f"runtime.{name}", HEADERS) for name in ("_memory", "_checks", "_expressions", "_products", "_loops", "_lists")]
wanted = os.environ.get("NPEXPORT_BUILD_EXTENSION", "1") != "0"

setup(packages=packages, ext_modules=extensions if wanted else [], cmdclass={"editable_wheel": EditableTree})
