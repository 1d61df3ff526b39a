"""``npexport.nn.utils``, for type checkers."""

from npexport.runtime.nn.utils import *
