"""What tells of its death."""

out = []
PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__.rstrip("_")] = function
    return function


def log(x):
    out.append(x)


class D:
    def __init__(self, n):
        self.n = n

    def __del__(self):
        out.append("del " + str(self.n))

    def __enter__(self):
        out.append("enter")
        return self

    def __exit__(self, *a):
        out.append("exit")

    def m(self):
        out.append("m")

    def __add__(self, o):
        return D(str(self.n) + "+" + str(o.n))

    def __iter__(self):
        return iter([D("i1"), D("i2")])

    def __eq__(self, o):
        return True

    def __hash__(self):
        return 1

    def __getitem__(self, k):
        return D("item")

    def __bool__(self):
        return True

    def __len__(self):
        return 1

    def __contains__(self, x):
        return True

    def __call__(self, *a, **k):
        out.append("call")
        return D("res")
