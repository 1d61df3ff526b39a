"""The parts of the build that pyproject.toml cannot say: the packages inside the rooms, and the C extension, which is optional.

Where the extension cannot be compiled (or ``NPEXPORT_BUILD_EXTENSION=0`` says not to), the package installs without it, and
``npexport.frame_hook()`` is ``"settrace"``.
"""

import os

from setuptools import Extension, find_packages, setup

ROOMS = ("symshapes", "ir", "runtime", "tracer")

packages = ["npexport"]
packages += [f"npexport.{name}" for room in ROOMS for name in find_packages(include=[room, f"{room}.*"])]

extension = Extension("npexport.tracer.frames._evalframe", ["tracer/frames/_evalframe.c"], optional=True)
wanted = os.environ.get("NPEXPORT_BUILD_EXTENSION", "1") != "0"

setup(packages=packages, ext_modules=[extension] if wanted else [])
