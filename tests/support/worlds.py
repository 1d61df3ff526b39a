"""Worlds for the interpreter to run programs in."""

from npexport.symshapes.errors import Unsupported
from npexport.tracer.interpreter.world import World


class Refusing(World):
    """Refuses ``print``."""

    def call_native(self, vm, fn, args, kwargs):
        if fn is print:
            raise Unsupported("E101", "print is not for this world")
        return super().call_native(vm, fn, args, kwargs)
