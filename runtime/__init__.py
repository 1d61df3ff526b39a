"""What runs a captured program: kernels and layers, the plan of memory and of blocks, the Python
and the C that a program is compiled to, and the callable that ``module()`` returns. Knows graphs,
and nothing of how they were captured.
"""
