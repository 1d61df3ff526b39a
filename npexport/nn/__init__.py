"""``import npexport.nn`` and ``import npexport.nn.functional as F``: the modules of the room, under
the name that users know.
"""

import sys

from npexport.runtime import nn
from npexport.runtime.nn import functional, init, utils

sys.modules.update({__name__: nn, f"{__name__}.functional": functional, f"{__name__}.init": init, f"{__name__}.utils": utils})
