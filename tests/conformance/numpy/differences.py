"""Tests of NumPy's own that come out otherwise in an exported program, each with the reason. The table may only shrink."""

from __future__ import annotations

_WARNINGS = "what NumPy warns of known data is not recorded: warnings are no part of what a program computes"
_IDENTITY = "asks whether two arrays are one object where the program has two of the same memory"
_MEMORY = "asks for flags or addresses of memory that no program sees"
_MASKED = "a part of np.ma that makes no masked array, and goes wrong at a structured dtype"
_OBJECTS = "arrays of Python objects, for which an error is raised that is no refusal"
_PROTOCOL = "what __array_ufunc__ or __array__ of the program's classes is asked, in corners of the protocol"
_SUBCLASS = "the exception is of a subclass of the one that NumPy raises"
_CONVERSION = "a corner of conversion whose error comes later, or is another one"
_EMPTY = "compares the elements of np.empty, which are open"
_METHOD = "a method of scalars or arrays that is given to NumPy as it is"

DIFFERENCES: dict[str, dict[str, str]] = {
    "numpy._core.tests.test_numeric": {
        "TestNonarrayArgs.test_mean": _WARNINGS,
        "TestNonarrayArgs.test_std": _WARNINGS,
        "TestNonarrayArgs.test_var": _WARNINGS,
        "TestFloatExceptions.test_warnings": _WARNINGS,
        "TestBroadcast.test_broadcast_error_kwargs": _IDENTITY,
        "TestBroadcast.test_broadcast_single_arg": _IDENTITY,
    },
    "numpy._core.tests.test_umath": {
        "TestSpecialMethods.test_ufunc_override_mro": _PROTOCOL,
        "TestSpecialMethods.test_ufunc_override_out": _PROTOCOL,
    },
    "numpy._core.tests.test_ufunc": {"TestUfunc.test_partial_signature_mismatch_with_cache": _SUBCLASS},
    "numpy._core.tests.test_shape_base": {"TestConcatenate.test_huge_list_error": _CONVERSION},
    "numpy._core.tests.test_scalar_methods": {"test_array_wrap": _METHOD},
    "numpy._core.tests.test_regression": {
        "TestRegression.test_2d__array__shape": _PROTOCOL,
        "TestRegression.test__array_namespace__": _METHOD,
        "TestRegression.test_alignment_update": _MEMORY,
        "TestRegression.test_frompyfunc_name": _METHOD,
    },
    "numpy._core.tests.test_array_coercion": {
        "TestNested.test_pathological_self_containing": _OBJECTS,
        "TestAsArray.test_dtype_identity": _IDENTITY,
    },
    "numpy._core.tests.test_api": {
        "test_array_astype_to_string_discovery_empty": _CONVERSION,
        "test_astype_copyflag": _METHOD,
    },
    "numpy._core.tests.test_multiarray": {
        "TestFlags.test_readonly_flag_protocols": _MEMORY,
        "TestFlags.test_warnonwrite": _MEMORY,
        "TestBool.test_test_interning": _IDENTITY,
        "TestMethods.test__complex__": _OBJECTS,
        "TestMethods.test_conjugate_legacy_user_dtype": _CONVERSION,
        "TestMethods.test_copy": _EMPTY,
        "TestMethods.test_partition_unicode_kind": _METHOD,
        "TestMethods.test_sort": _METHOD,
        "TestBinop.test_array_ufunc_index": _PROTOCOL,
        "TestWarnings.test_complex_warning": _WARNINGS,
        "TestArrayCreationCopyArgument.test___array__": _PROTOCOL,
        "TestArrayCreationCopyArgument.test___array__copy_once": _PROTOCOL,
        "TestDevice.test_to_device": _METHOD,
    },
    "numpy.ma.tests.test_core": {
        "TestFillingValues.test_check_on_fields": _MASKED,
        "TestFillingValues.test_default_fill_value_void": _MASKED,
        "TestFillingValues.test_fill_value_datetime_structured_integer": _MASKED,
    },
    "numpy.ma.tests.test_mrecords": {"TestMRecords.test_byview": _MASKED},
}
