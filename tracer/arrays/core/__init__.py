"""Array proxies, the recorder of nodes, views and writes."""
