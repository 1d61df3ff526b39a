"""The ``predict`` of a fitted scikit-learn pipeline, exported with a dynamic batch: serving it needs neither scikit-learn nor SciPy.

python examples/sklearn_pipeline.py
"""

import tempfile
from pathlib import Path

import numpy as np
import sklearn
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from npexport import Dim, export, load, save


def fitted():
    """A pipeline fitted to half of a data set, and the other half."""
    data = load_breast_cancer()
    train, test, labels, expected = train_test_split(data.data, data.target, test_size=0.5, random_state=0)
    pipeline = make_pipeline(StandardScaler(), PCA(8), LogisticRegression())
    return pipeline.fit(train, labels), test, expected


def main():
    pipeline, test, expected = fitted()
    with sklearn.config_context(assume_finite=True):  # a check that raises; the program is served inputs that are validated already
        program = export(pipeline.predict_proba, (test[:4],), dynamic_shapes=({0: Dim("batch", min=1)},))
    print(program)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pipeline.np2"
        save(program, path)
        serve = load(path).module()
    probabilities = serve(test)
    np.testing.assert_allclose(probabilities, pipeline.predict_proba(test), rtol=1e-12)
    accuracy = np.mean(probabilities.argmax(axis=1) == expected)
    print(f"accuracy of the program: {accuracy:.3f}, of the pipeline: {pipeline.score(test, expected):.3f}")


if __name__ == "__main__":
    main()
