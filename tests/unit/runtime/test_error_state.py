"""Whether floating-point errors may raise is asked anew wherever something has changed."""

import contextvars
import warnings

import numpy as np
import pytest

from npexport.runtime.error_state import errors_pass


@pytest.mark.parametrize("how", ["raise", "call", "log"])
def test_states_that_do_more_than_warn(how):
    with np.errstate(all="ignore"):
        assert errors_pass()
        with np.errstate(under=how):
            assert not errors_pass()
            assert not errors_pass()
        assert errors_pass()


def test_filters_that_are_changed_in_their_place():
    with np.errstate(all="warn"), warnings.catch_warnings():
        warnings.simplefilter("default")
        assert errors_pass()
        warnings.filterwarnings("error", category=RuntimeWarning)
        assert not errors_pass()
        warnings.filters[0] = ("ignore", None, RuntimeWarning, None, 0)
        assert errors_pass()


def test_a_state_is_one_of_its_context():
    with np.errstate(all="ignore"):
        assert errors_pass()
        other = contextvars.copy_context()
        other.run(np.seterr, divide="raise")
        assert not other.run(errors_pass)
        assert errors_pass()
