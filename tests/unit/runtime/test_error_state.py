"""Whether floating-point errors may raise is asked anew wherever something has changed."""

import contextvars
import subprocess
import sys
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
        filters_in_force()[0] = ("ignore", None, RuntimeWarning, None, 0)
        assert errors_pass()


def filters_in_force():
    """With ``-X context_aware_warnings`` those of the context."""
    context = getattr(warnings, "_get_context", None)
    return context()._filters if context else warnings.filters


@pytest.mark.skipif(sys.version_info < (3, 14), reason="filters are the process's")
def test_filters_of_the_context(tmp_path):
    code = (
        "import warnings, numpy as np; from npexport.runtime.error_state import errors_pass\n"
        "with np.errstate(all='warn'), warnings.catch_warnings():\n"
        "    warnings.simplefilter('default'); assert errors_pass()\n"
        "    warnings.simplefilter('error', RuntimeWarning); assert not errors_pass()\n"
    )
    subprocess.run([sys.executable, "-X", "context_aware_warnings=1", "-c", code], check=True)


def test_a_state_is_one_of_its_context():
    with np.errstate(all="ignore"):
        assert errors_pass()
        other = contextvars.copy_context()
        other.run(np.seterr, divide="raise")
        assert not other.run(errors_pass)
        assert errors_pass()
