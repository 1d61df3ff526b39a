"""What is put into lists that captured loops fill (`npexport.tracer.arrays.core.filled_list`),
which hold it by value: lists in it that the program goes on to hold do not change from then on.
"""

from __future__ import annotations

from typing import Any

from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_list_columns import Columns
from npexport.tracer.arrays.core.filled_list_kinds import refused
from npexport.tracer.arrays.core.item_structures import is_tuple, with_items
from npexport.tracer.arrays.core.structures_of_items import common_item


def apart(value: Any, loose: set[int]) -> Any:
    """The item, in which each list that the program goes on to hold is one of these, which does
    not change. ``loose``: gets the lists that it does not hold, by identity.
    """
    if is_tuple(value):
        return with_items(value, [apart(item, loose) for item in value])
    if type(value) is dict and not recorder().session.is_held(value):
        value = {key: apart(item, loose) for key, item in value.items()}
        loose.add(id(value))
    if type(value) is not list or not value or common_item(value) is None:
        return value
    if recorder().session.is_held(value):
        return recorder().session.world.filled(value)
    loose.add(id(value))
    return value


def freeze(value: Any, owner: Columns, loose: set[int], met: set[int]) -> None:
    """Lists inside an item do not change from now on. ``owner``: the list that gets it; ``loose``:
    lists that the program is known not to hold; ``met``: gets the lists of the item, by identity.
    """
    if is_tuple(value) or type(value) in (list, dict):
        is_loose = is_tuple(value) or (id(value) not in met and (id(value) in loose or not recorder().session.is_held(value)))
        if not is_loose:
            kind = type(value).__name__
            raise refused(f"holds a {kind} that may change: put a tuple into it, or a {kind} that nothing else holds")
        met.add(id(value))
        for item in value.values() if type(value) is dict else value:
            freeze(item, owner, loose, met)
    elif issubclass(type(value), Columns):
        again = value.frozen or value.within is not None
        if again or recorder().session.is_held(value):
            owner.share()
        value.freeze()
        value.holder = None if again else owner
        owner.family.join(value.family)
        owner.family.repeats |= again
