"""Array proxies: what stands for ``np.ndarray`` while tracing.

Inside, rooms go one way: ``analysis < memory < core < api``.
"""
