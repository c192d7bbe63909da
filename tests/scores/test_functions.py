from __future__ import annotations

import math

import pytest

from chordlearn.errors import InputError
from chordlearn.scores import AIC, BIC, QNML, BDeu, Dirichlet, score_function


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("bdeu", {}, BDeu(1.0)),
        ("BDeu", {"ess": 5.0}, BDeu(5.0)),
        ("dirichlet", {"alpha": 0.3}, Dirichlet(0.3)),
        ("jeffreys", {}, Dirichlet(0.5)),
        ("k2", {}, Dirichlet(1.0)),
        ("bic", {"edge_prior": -1.0}, BIC(edge_prior=-1.0)),
        ("aic", {}, AIC()),
        ("qnml", {}, QNML()),
    ],
)
def test_by_name(name, arguments, expected):
    assert score_function(name, **arguments) == expected


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("bde", {}, "no score 'bde'.*bdeu"),
        ("bdeu", {"ess": 0.0}, "positive"),
        ("bdeu", {"ess": math.nan}, "positive"),
        ("bdeu", {"alpha": 1.0}, "leave out alpha"),
        ("bic", {"alpha": 1.0}, "leave out alpha"),
        ("jeffreys", {"alpha": 1.0}, "leave out alpha"),
        ("k2", {"ess": 1.0}, "leave out ess"),
        ("dirichlet", {}, "needs its cell parameter"),
        ("dirichlet", {"alpha": -1.0}, "positive"),
        ("aic", {"edge_prior": math.inf}, "finite"),
        ("aic", {"edge_prior": -1e101}, "at most"),
        ("bdeu", {"ess": 1e-320}, "between"),
        ("dirichlet", {"alpha": 1e308}, "between"),
    ],
)
def test_wrong_names_and_parameters(name, arguments, message):
    with pytest.raises(InputError, match=message):
        score_function(name, **arguments)


def test_json():
    assert BIC().to_dict() == {"name": "bic", "parameters": {}}
    assert Dirichlet(0.5, edge_prior=-2.0).to_dict() == {
        "name": "dirichlet",
        "parameters": {"alpha": 0.5, "edge_prior": -2.0},
    }
