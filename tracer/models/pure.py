"""C callables that simply run while tracing: their result depends on nothing but their arguments, and they write to nothing else.

A row is a module and the names in it, ``*`` for all that :mod:`refused` does not list. A type in ``TYPES`` may be called, and all of
its methods may: they read and write the object itself alone, which is local to the program or a shadow. Called with array proxies
or containers of them they run too: a proxy refuses what it cannot answer.
"""

from __future__ import annotations

FUNCTIONS: dict[str, str] = {
    "builtins": (
        "abs aiter all anext any ascii bin callable chr delattr dir divmod format getattr hasattr hex isinstance issubclass iter len max "
        "min next oct ord pow repr round setattr sorted sum compile __build_class__"
    ),
    "_abc": "get_cache_token _abc_init _abc_instancecheck _abc_subclasscheck _get_dump",
    "_ast": "*",
    "_bisect": "*",
    "_codecs": (
        "ascii_decode ascii_encode charmap_build charmap_decode charmap_encode decode encode escape_decode escape_encode latin_1_decode "
        "latin_1_encode lookup lookup_error raw_unicode_escape_decode raw_unicode_escape_encode unicode_escape_decode "
        "unicode_escape_encode utf_8_decode utf_8_encode utf_16_decode utf_16_encode utf_32_decode utf_32_encode"
    ),
    "_collections": "*",
    "_blake2": "*",
    "_csv": "reader writer get_dialect list_dialects",
    "_decimal": "getcontext setcontext localcontext",
    "decimal": "getcontext setcontext localcontext",
    "_functools": "*",
    "_imp": "acquire_lock release_lock lock_held",
    "functools": "*",
    "_hashlib": "*",
    "_heapq": "*",
    "_json": "*",
    "_md5": "*",
    "_opcode": "*",
    "_operator": "*",
    "operator": "*",
    "_sha1": "*",
    "_sha2": "*",
    "_sha3": "*",
    "_sha256": "*",
    "_sha512": "*",
    "_sre": "*",
    "_statistics": "*",
    "_string": "*",
    "_struct": "*",
    "_thread": "allocate_lock allocate get_ident RLock",
    "_tracemalloc": "is_tracing",
    "_typing": "*",
    "_weakref": "getweakrefcount",
    "binascii": "*",
    "cmath": "*",
    "numpy._core._multiarray_umath": "_make_extobj _get_extobj_dict",
    "gc": "collect disable enable isenabled is_tracked",
    "itertools": "*",
    "math": "*",
    "sys": (
        "exc_info exception getdefaultencoding getfilesystemencoding getrecursionlimit getsizeof intern is_finalizing "
        "get_int_max_str_digits _is_gil_enabled audit gettrace getprofile"
    ),
    "posix": "fspath _path_normpath _path_splitroot _path_splitroot_ex",
    "nt": "fspath _path_normpath _path_splitroot _path_splitroot_ex",
    "unicodedata": "*",
    "zlib": "adler32 compress crc32 decompress",
}

TYPES: dict[str, str] = {
    "builtins": (
        "BaseException BaseExceptionGroup NoneType NotImplementedType aiter async_generator async_generator_asend async_generator_athrow "
        "bool bool_ builtin_function_or_method bytearray bytearray_iterator bytes bytes_iterator callable_iterator cell classmethod code "
        "complex coroutine coroutine_wrapper dict dict_itemiterator dict_items dict_keyiterator dict_keys dict_reverseitemiterator "
        "dict_reversekeyiterator dict_reversevalueiterator dict_valueiterator dict_values ellipsis enumerate filter float frame frozenset "
        "function generator getset_descriptor int int_iterator iterator list list_iterator list_reverseiterator longrange_iterator map "
        "mappingproxy member_descriptor memoryview method method_descriptor object property range range_iterator reversed set "
        "set_iterator slice staticmethod str str_ascii_iterator str_iterator super traceback tuple tuple_iterator tuplegetter type "
        "wrapper_descriptor zip module classmethod_descriptor method-wrapper memory_iterator anext_awaitable odict_items odict_iterator "
        "odict_keys odict_values builtin_method PyCapsule stderrprinter"
    ),
    "types": "GenericAlias SimpleNamespace UnionType MappingProxyType Union EllipsisType NoneType NotImplementedType CellType",
    "_abc": "*",
    "_collections": "*",
    "_blake2": "*",
    "_csv": "*",
    "_functools": "*",
    "_hashlib": "*",
    "_json": "*",
    "_md5": "*",
    "_operator": "*",
    "_random": "Random",
    "_sha1": "*",
    "_sha2": "*",
    "_sha3": "*",
    "_sha256": "*",
    "_sha512": "*",
    "_sre": "*",
    "_struct": "*",
    "_thread": "lock LockType RLock _local",
    "_weakref": "*",
    "weakref": "ReferenceType ref",
    "array": "array arrayiterator",
    "ast": "*",
    "_ast": "*",
    "collections": "*",
    "_contextvars": "*",
    "contextvars": "*",
    "datetime": "*",
    "decimal": "*",
    "_decimal": "*",
    "functools": "*",
    "_io": "StringIO BytesIO",
    "itertools": "*",
    "operator": "*",
    "re": "*",
    "struct": "*",
    "string.templatelib": "*",
    "types_": "",
    "typing": "*",
    "_typing": "*",
    "zlib": "*",
}
"""Bases of C type; a Python class with one of these layouts is judged by its first C base."""
