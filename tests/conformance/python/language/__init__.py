"""Small programs over arrays, one function each, ``f(x, y)`` with ``x``: f64[3, 4] and ``y``: f64[4], in files by chapter of the language.

Every public function defined in these modules is exported by ``test_language.py`` beside this folder, and held to eager at other values.
"""
