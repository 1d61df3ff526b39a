"""The layers, for type checkers."""

from npexport.runtime.nn import *
from npexport.runtime.nn import functional as functional
from npexport.runtime.nn import init as init
from npexport.runtime.nn import utils as utils
