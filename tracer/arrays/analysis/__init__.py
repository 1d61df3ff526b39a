"""What is known of calls without looking at memory: signatures and keys.

Knows only ir and symshapes.
"""
