"""Tables that go back: what stays, what goes, what comes back, and that it costs what has changed."""

import random

from npexport.tracer.arrays.core.tables import Table


class Model(dict):
    """The same by copies."""

    def mark(self):
        return dict(self)

    def leave(self, before, is_gone):
        changed = {key: value for key, value in self.items() if key not in before or before[key] is not value}
        gone = {key: value for key, value in changed.items() if is_gone(value)}
        kept = {key: value for key, value in self.items() if key not in gone}
        self.clear()
        self.update({**kept, **before})
        return gone


def test_it_goes_back_as_a_copy_would():
    draw = random.Random(0)
    for _ in range(300):
        tables, places = (Table(), Model()), []
        for _ in range(40):
            action = draw.randrange(7)
            key, value = draw.randrange(6), object() if draw.random() < 0.5 else str(draw.random())
            if action < 3:
                for table in tables:
                    table[key] = value
            elif action == 3:
                assert tables[0].setdefault(key, value) is tables[1].setdefault(key, value)
            elif action == 4 and draw.random() < 0.3:
                other = dict(list(tables[0].items())[:3])
                for table in tables:
                    table.clear()
                    table.update(other)
            elif action == 5:
                places.append([table.mark() for table in tables])
            elif places:
                gone = [table.leave(place, lambda item: type(item) is str) for table, place in zip(tables, places.pop(), strict=True)]
                assert gone[0] == gone[1]
            assert dict(tables[0]) == dict(tables[1])
        while places:
            for table, place in zip(tables, places.pop(), strict=True):
                table.leave(place, lambda item: type(item) is str)
        assert dict(tables[0]) == dict(tables[1]) and tables[0]._undo == []


def test_leaving_asks_of_what_has_changed_alone():
    table = Table()
    table.update(dict.fromkeys(range(10_000), "old"))
    asked = []
    place = table.mark()
    table["new"] = 1
    assert table.leave(place, asked.append) == {} and asked == [1] and len(table) == 10_001
