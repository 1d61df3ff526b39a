"""``npexport.nn.init``, for type checkers."""

from npexport.runtime.nn.init import *
