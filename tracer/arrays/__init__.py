"""Array proxies: what stands for ``np.ndarray`` while tracing.

The sub-rooms import one way: ``analysis < memory < core < api``.
"""
