"""Frames and bytecode in, a captured program out: the frame hook hands a frame over, the
interpreter runs its bytecode on stand-ins for arrays and sizes, and what it does with them becomes
a graph.
"""
