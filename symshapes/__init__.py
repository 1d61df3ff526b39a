"""Sizes that are not numbers: expressions over them, what is known of them, and what a program
needs of them. Imports no other room, nor SymPy.

How an export uses this room::

    env = ShapeEnv(where)                                  # where() -> the user's call chain, innermost last
    leaves = normalize(dynamic_shapes, arguments, …)       # spec: one LeafSpec for each leaf of the inputs
    bindings = bind(env, leaves)                           # binding: bindings.shapes[i] is the shape of leaf i, of int and SymInt
    …                                                      # trace: shape rules are Python over these; branches call env.evaluate
    solution = solve(env, bindings, defer=…)               # solver: range_constraints, guards, replacements; or ConstraintViolation
    env.close()

=================  ===============================================================================
module             holds
=================  ===============================================================================
errors, codes      the errors that users see
expr               ``Expr``, ``Bool``, ``Float`` in normal form, hash-consed; ``polynomials``, ``truths``
rewrite            fold, evaluate, substitute
printing           text; ``parsing``: its inverse; ``sympy_interop``: to and from SymPy
ranges             ``ValueRanges``, ``int_oo``, bounds of expressions; ``intervals``: comparisons
decide             ``Facts``: congruences, replacements, the three-valued decision; ``elimination``
regions            exact sets, for the solver
symint             ``SymInt``, ``SymBool``, ``SymFloat``; ``size_arithmetic``: their operators
functions          ``MODELS`` of builtins and ``math``; ``symrange``, ``membership``, ``broadcasting``
env                ``ShapeEnv``, ``known``; ``guards``: ``Guard``
dims               ``Dim``, ``dims``, hints; ``spec``, ``binding``
derived_sources    the ``k`` of a size ``4*k``
solver             ``solve``, ``Solution``; ``repair``, ``fixes`` (``ConstraintViolation``), ``refine``
=================  ===============================================================================
"""
