"""The part of the build that pyproject.toml cannot say: the C extension, which is optional.

Where it cannot be compiled (or ``NPEXPORT_BUILD_EXTENSION=0`` says not to), the package installs without it and ``frame_hook()`` is
``"settrace"``.
"""

import os

from setuptools import Extension, setup

extension = Extension("npexport.tracer.frames._evalframe", ["tracer/frames/_evalframe.c"], optional=True)
wanted = os.environ.get("NPEXPORT_BUILD_EXTENSION", "1") != "0"

setup(ext_modules=[extension] if wanted else [])
