"""``npexport.nn.functional``, for type checkers."""

from npexport.runtime.nn.functional import *
