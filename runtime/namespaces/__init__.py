"""Programs over other array libraries: `ExportedProgram.module(namespace=…)`.

`space` is what an array-API namespace gives; `elementwise`, `shapes`, `indexing`, `linear` and
`control` say what operators are in its words. `inputs` binds and checks a call, `running` calls the
operators node by node, and `module` is what callers get.
"""
