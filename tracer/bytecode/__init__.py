"""CPython's bytecode, read once per code object into one canonical instruction set that is the same
for every version.

Nothing outside this package knows of CPython versions' opcodes.
"""

from npexport.tracer.bytecode.canonical import Handler, Instruction
from npexport.tracer.bytecode.decoder import Decoded, decode

__all__ = ["Decoded", "Handler", "Instruction", "decode"]
