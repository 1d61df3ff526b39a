"""Programs over other array libraries: `ExportedProgram.module(namespace=…)`.

`space` is what an array-API namespace gives, `rows` and `indexing` say what operators are in its
words, `running` calls them node by node, `module` is what callers get.
"""
