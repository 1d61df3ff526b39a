"""`capture` on the fits of scikit-learn: what is recorded while a script runs gives what `fit` gives on other data."""

import numpy as np
import pytest

from npexport import capture

linear = pytest.importorskip("sklearn.linear_model", reason="scikit-learn is not installed")
cluster = pytest.importorskip("sklearn.cluster", reason="scikit-learn is not installed")
decomposition = pytest.importorskip("sklearn.decomposition", reason="scikit-learn is not installed")
preprocessing = pytest.importorskip("sklearn.preprocessing", reason="scikit-learn is not installed")
FITS = {
    "Ridge": (lambda: linear.Ridge(), ("coef_", "intercept_")),
    "Ridge without a penalty": (lambda: linear.Ridge(alpha=0.0), ("coef_", "intercept_")),
    "LinearRegression": (lambda: linear.LinearRegression(), ("coef_", "intercept_")),
    "PCA": (lambda: decomposition.PCA(2), ("components_", "mean_", "explained_variance_")),
    "StandardScaler": (lambda: preprocessing.StandardScaler(), ("mean_", "scale_", "var_")),
    "MinMaxScaler": (lambda: preprocessing.MinMaxScaler(), ("min_", "scale_")),
}


def datasets():
    """Rows as most are, of two equal columns, of zeros, and with one that is not a number."""
    rng = np.random.default_rng(0)
    for factor, last in ((1, 1), ([1, 0, 0], 1), (0, 1), (1, np.nan)):
        x = rng.normal(size=(20, 3)) * factor
        x[-1, -1] *= last
        x[:, 1] += x[:, 0]
        yield x, x @ [1.0, 2.0, 3.0] + 1


def fitted(fit, state):
    try:
        fit()
    except ValueError as error:
        return str(error)
    return {name: np.asarray(value).tolist() for name, value in state().items()}


@pytest.mark.parametrize("name", FITS)
@pytest.mark.filterwarnings("ignore")
def test_fits_are_captured(name):
    make, attributes = FITS[name]
    given = list(datasets())
    estimator = make()
    with capture(type(estimator).fit) as calls:
        estimator.fit(*given[0])
    assert [str(problem) for problem in calls.problems] == []
    for x, y in given:
        module, eager = calls.programs[0].module(), make()
        captured = fitted(lambda: module(x, y), lambda: {name: dict(module.named_buffers())[name] for name in attributes})
        assert repr(captured) == repr(fitted(lambda: eager.fit(x, y), lambda: {name: getattr(eager, name) for name in attributes}))


def test_a_fit_in_c_is_refused_by_the_name_of_its_function():
    with capture(cluster.KMeans.fit) as calls:
        cluster.KMeans(2, n_init=1, random_state=0).fit(next(datasets())[0])
    assert calls.programs == [] and "openmp" in str(calls.problems[0]) and calls.problems[0].code == "E101"
