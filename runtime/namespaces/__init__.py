"""Programs over other array libraries: `ExportedProgram.module(namespace=…)`.

`space` holds the functions of an array-API namespace; `elementwise`, `shapes`, `indexing`, `linear`
and `control` express the operators with them. `inputs` binds and checks a call, `running` calls the
operators node by node, and `module` is what callers get.
"""
