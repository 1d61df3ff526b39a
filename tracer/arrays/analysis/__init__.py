"""What can be said of a call without looking at memory: signatures and keys.

This room imports only ir and symshapes.
"""
