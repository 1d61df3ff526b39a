"""C callables that simply run while tracing, and of which nothing else is known: their result
depends on their arguments only, and they write to nothing else.

For a type, all methods may be called too: they read and write only the object itself, which is
local to the program or a shadow. A Python class with the layout of such a type is judged by its
first C base. They also run with array proxies or containers of them: a proxy refuses what it cannot
answer. ``asks=False`` says that the C code passes objects on, compares them or uses their
operators, so that sizes stay dynamic, or that it calls ``__index__``, ``__float__`` or makes text,
all of which specialise. All other C functions get numbers.
"""

from __future__ import annotations

from npexport.tracer.models.registry import rows

rows("builtins", "*", asks=False)
rows("builtins", "int.* float.* complex.* bool.*", asks=True)  # a method of a number is that of a size, or looks at the other number
rows("types", "*", asks=False)
rows("weakref", "*", asks=False)
rows(
    "builtins",
    "aiter anext ord compile __build_class__ BaseException BaseExceptionGroup NoneType "
    "NotImplementedType async_generator async_generator_asend async_generator_athrow bool_ "
    "builtin_function_or_method bytearray_iterator bytes_iterator callable_iterator cell classmethod code coroutine "
    "coroutine_wrapper dict_itemiterator dict_items dict_keyiterator dict_keys dict_reverseitemiterator "
    "dict_reversekeyiterator dict_reversevalueiterator dict_valueiterator dict_values ellipsis frame generator "
    "getset_descriptor int_iterator iterator list_iterator list_reverseiterator longrange_iterator mappingproxy "
    "member_descriptor method method_descriptor property range_iterator set_iterator slice staticmethod "
    "str_ascii_iterator str_iterator super traceback tuple_iterator tuplegetter wrapper_descriptor "
    "classmethod_descriptor method-wrapper memory_iterator anext_awaitable odict_items odict_iterator odict_keys "
    "odict_values builtin_method stderrprinter",
    pure=True,
)
rows("_abc", "*", pure=True, asks=False)
rows("_ast", "*", pure=True)
rows("numpy._core._multiarray_umath", "dragon4_positional dragon4_scientific", pure=True)
rows("_bisect", "*", pure=True, asks=False)
rows(
    "_codecs",
    "ascii_decode ascii_encode charmap_build charmap_decode charmap_encode decode encode escape_decode "
    "escape_encode latin_1_decode latin_1_encode lookup lookup_error raw_unicode_escape_decode "
    "raw_unicode_escape_encode unicode_escape_decode unicode_escape_encode utf_8_decode utf_8_encode utf_16_decode "
    "utf_16_encode utf_32_decode utf_32_encode",
    pure=True,
)
rows("_collections", "*", pure=True, asks=False)
rows("_blake2", "*", pure=True)
rows("_csv", "*", pure=True)
rows("_decimal", "*", pure=True)
rows("decimal", "*", pure=True)
rows("_functools", "*", pure=True, asks=False)
rows("_imp", "acquire_lock release_lock lock_held", pure=True)
rows("functools", "*", pure=True, asks=False)
rows("_hashlib", "*", pure=True)
rows("_heapq", "*", pure=True, asks=False)
rows("_json", "*", pure=True)
rows("_md5", "*", pure=True)
rows("_opcode", "*", pure=True)
rows("_operator", "*", pure=True, asks=False)
rows("operator", "*", pure=True, asks=False)
rows("_sha1", "*", pure=True)
rows("_sha2", "*", pure=True)
rows("_sha3", "*", pure=True)
rows("_sha256", "*", pure=True)
rows("_sha512", "*", pure=True)
rows("_sre", "*", pure=True)
rows("_statistics", "*", pure=True)
rows("_string", "*", pure=True)
rows("_struct", "*", pure=True)
rows("_thread", "allocate_lock allocate get_ident RLock lock LockType _local", pure=True)
rows("_tracemalloc", "is_tracing", pure=True)
rows("_typing", "*", pure=True, asks=False)
rows("_weakref", "*", pure=True, asks=False)
rows("binascii", "*", pure=True)
rows("cmath", "*", pure=True)
rows("gc", "collect disable enable is_tracked", pure=True)
rows("itertools", "*", pure=True, asks=False)
rows("math", "*", pure=True, scalars="floats")
rows(
    "sys",
    "exc_info exception getdefaultencoding getfilesystemencoding getrecursionlimit getsizeof intern is_finalizing "
    "get_int_max_str_digits _is_gil_enabled audit gettrace getprofile",
    pure=True,
)
rows("posix", "fspath _path_normpath _path_splitroot _path_splitroot_ex", pure=True)
rows("nt", "fspath _path_normpath _path_splitroot _path_splitroot_ex", pure=True)
rows("unicodedata", "*", pure=True)
rows("zlib", "*", pure=True)
rows(
    "types",
    "GenericAlias SimpleNamespace UnionType MappingProxyType Union EllipsisType NoneType NotImplementedType CellType",
    pure=True,
)
rows("_random", "Random", pure=True)
rows("weakref", "ref", pure=True)
rows("array", "arrayiterator", pure=True)
rows("ast", "*", pure=True)
rows("collections", "*", pure=True, asks=False)
rows("_contextvars", "*", pure=True, asks=False)
rows("contextvars", "*", pure=True, asks=False)
rows("datetime", "*", pure=True)
rows("_io", "StringIO BytesIO", pure=True)
rows("re", "*", pure=True)
rows("struct", "*", pure=True)
rows("scipy.special._comb", "_comb_int", pure=True)
rows("scipy.special._specfun", "*", pure=True)
rows("string.templatelib", "*", pure=True)
rows("typing", "*", pure=True, asks=False)
