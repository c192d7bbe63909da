import json
import math
import os
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chordlearn as cl
from chordlearn.errors import InputError
from chordlearn.network.result import Result, build_result
from chordlearn.report.terminal import status_sentence
from chordlearn.system.files import write_whole


def heart(**changes: Any) -> Result:
    fields: dict[str, Any] = {
        "variables": ["smoke", "mental", "phys", "systol", "protein", "family"],
        "cliques": [0b100000, 0b000110, 0b010101, 0b011000],
        "score": -6732.459258,
        "bound": -6732.459258,
        "stopped_by": "proof",
        "tolerance": 1e-6,
        "score_function": {"name": "bdeu", "parameters": {"ess": 1.0}},
        "rows": 1841,
        "backend": "native",
        "data_sha256": "ab" * 32,
        "states": [["n", "y"]] * 6,
        "constraints": {"max_clique": 3, "required": [("smoke", "phys")], "forbidden": []},
        "scaling": {"factor": 1000.0, "max_error": 0.0055},
        "candidates": {"before": 63, "after": 20},
        "seconds": {"solve": 0.25},
        "seed": 0,
        "versions": {"chordlearn": "0.1.0"},
        "data": {"source": "heart", "options": {"columns": ("smoke",)}},
        "runners_up": [([0b111111], -6733.332)],
        "details": {"states": np.int64(5), "deepest": (1, 2), "best": math.inf},
    }
    return build_result(**(fields | changes))


def test_everything_that_follows_from_the_cliques_is_there_in_a_fixed_order():
    result = heart()
    assert result.status == "optimal"
    assert result.gap == 0.0
    assert result.cliques[0] == ("smoke", "phys", "protein")
    assert result.separators == (("phys",), ("protein",))
    assert result.edges[0] == ("smoke", "phys")
    document = result.to_dict()
    assert document["junction_tree"][0] == {"cliques": [0, 1], "separator": ["phys"]}
    assert document["runners_up"] == [{"score": -6733.332, "cliques": [document["variables"]]}]
    assert document["details"] == {"states": 5, "deepest": [1, 2], "best": None}
    assert result == heart(cliques=[0b011000, 0b010101, 0b000110, 0b100000])
    assert result.network.cliques == result.cliques


def test_json_and_back():
    for result in (heart(), heart(bound=math.inf), heart(bound=-6700.0), heart(cliques=None, bound=math.inf)):
        assert Result.from_json(result.to_json()) == result
        json.loads(result.to_json(), parse_constant=pytest.fail)


def test_infinities_are_null():
    unbounded = heart(bound=math.inf)
    assert (unbounded.status, unbounded.gap) == ("feasible", math.inf)
    assert unbounded.to_dict()["bound"] is unbounded.to_dict()["gap"] is None
    nothing = heart(cliques=None, bound=math.inf, runners_up=[], stopped_by="time limit")
    assert nothing.status == "none"
    assert nothing.to_dict()["score"] is None
    with pytest.raises(InputError, match="no network: the run was stopped by time limit"):
        _ = nothing.network


def test_a_bound_that_rounding_left_below_the_score_is_raised():
    result = heart(bound=-6732.459258001)
    assert result.bound == result.score
    assert result.gap == 0.0
    with pytest.raises(InputError, match="not a number"):
        heart(score=math.nan)


def test_words():
    assert "optimal, proved" in repr(heart())
    assert "-6732.459258" in str(heart())
    assert "smoke–phys–protein" in str(heart())
    assert "within 32.4593 of the best" in repr(heart(bound=-6700.0))
    assert "how far from the best is not known" in str(heart(bound=math.inf))
    assert "no network found: stopped by the time limit" in str(heart(cliques=None, stopped_by="time limit"))
    html = heart(variables=["<b>", *"bcdef"], constraints={"max_clique": None})._repr_html_()
    assert "<b>" not in html
    assert "<iframe" in html and "data:image/svg+xml" in html
    assert "<iframe" not in heart(cliques=None)._repr_html_()


def test_save_and_load(tmp_path):
    path = tmp_path / "result.json"
    heart().save(path)
    heart(seed=1).save(path)
    assert Result.load(path) == heart(seed=1)
    assert [item.name for item in tmp_path.iterdir()] == ["result.json"]


def test_a_link_keeps_pointing_where_it_did(tmp_path):
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    heart().save(tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert Result.load(tmp_path / "real.json") == heart()


def test_places_that_cannot_be_written_get_one_sentence(tmp_path):
    with pytest.raises(InputError, match="cannot be written: No such file"):
        heart().save(tmp_path / "absent" / "result.json")
    with pytest.raises(InputError, match="cannot be written: Is a directory"):
        heart().save(tmp_path)
    if os.path.exists("/dev/full"):  # noqa: PTH110
        with pytest.raises(InputError, match="No space left"):
            heart().save("/dev/full")


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "result.json"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(InputError, match="half a character"):
        write_whole(path, "\ud800")
    assert path.read_text(encoding="utf-8") == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_every_truncation_is_refused(tmp_path):
    text = heart().to_json()
    for length in range(0, len(text) - 1, 37):
        (tmp_path / "cut.json").write_text(text[:length], encoding="utf-8")
        with pytest.raises(InputError, match=r"cut\.json: This is not a whole JSON result"):
            Result.load(tmp_path / "cut.json")


def test_every_missing_field_and_every_wrong_type_is_named():
    document = heart().to_dict()
    wrongs: list[Any] = [True, [[[]]], [{"cliques": 1}], {"a": [None]}]
    for name in document:
        without = {key: value for key, value in document.items() if key != name}
        with pytest.raises(InputError, match=name):
            Result.from_dict(without)
        for wrong in wrongs:
            if name == "details" and isinstance(wrong, dict):
                continue
            with pytest.raises(InputError, match=name):
                Result.from_dict(document | {name: wrong})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"schema": "chordlearn/result@2"}, "reads 'chordlearn/result@1'"),
        ({"status": "splendid"}, "optimal, feasible or none"),
        ({"score": math.inf}, "'score'"),
        ({"cliques": [["nobody"]]}, "variable 'nobody'"),
        ({"junction_tree": [{"cliques": [0, 9], "separator": ["phys"]}]}, "a clique that is not there"),
        ({"edges": [["smoke", "phys", "family"]]}, r"'edges' .* expected array of length 2, got 3 at \[0\]"),
    ],
)
def test_wrong_values_get_one_sentence(change, reason):
    with pytest.raises(InputError, match=reason) as caught:
        Result.from_dict(heart().to_dict() | change)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "[]", "null", '{"schema": NaN}', "[" * 100_000, "1" * 5000, '{"score": 1e999}']
)
def test_texts_that_are_no_results_are_refused(text):
    with pytest.raises(InputError):
        Result.from_json(text)


@pytest.mark.parametrize(
    ("field", "instead", "reason"),
    [
        ('"seed": 0', '"seed": 0, "seed": 0', "the field 'seed' stands twice"),
        ('"rows": 1841', f'"rows": {"1" * 400}', "more than 300 digits"),
        ('"best": null', f'"best": {"[" * 200}{"]" * 200}', "nested too deeply"),
    ],
)
def test_what_msgspec_would_read_is_refused(field: str, instead: str, reason: str) -> None:
    text = heart().to_json()
    assert text.count(field) == 1
    with pytest.raises(InputError, match=reason):
        Result.from_json(text.replace(field, instead))


def test_files_that_cannot_be_read_get_one_sentence(tmp_path):
    with pytest.raises(InputError, match="cannot be read: No such file"):
        Result.load(tmp_path / "absent.json")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        Result.load(tmp_path)
    (tmp_path / "binary").write_bytes(b"\xff\x00")
    with pytest.raises(InputError, match="not text"):
        Result.load(tmp_path / "binary")


@pytest.mark.parametrize(("backend", "package"), [("asp:clingo", "clingo"), ("maxsat:rc2", "python-sat")])
def test_a_result_says_whose_word_its_proof_is(backend: str, package: str) -> None:
    ran = f"optimal, proved by {backend} {version(package)}, which chordlearn ran"
    result = cl.learn("heart", backend=backend)
    assert result.status_in_words == ran
    assert status_sentence(result).startswith(f"{ran}: no chordal network scores more")
    for own in ("native", "exhaustive"):
        assert cl.learn("heart", backend=own).status_in_words == "optimal, proved"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"edges": []}, "The edges of the network are not those of its cliques"),
        ({"separators": [["family"]]}, "The separators of the network"),
        ({"junction_tree": []}, "The neighbours in the junction tree"),
        ({"cliques": [["smoke"], ["mental"], ["phys"], ["systol"]]}, "is in no clique"),
        ({"status": "feasible"}, "The status of the result is feasible"),
        ({"bound": None, "gap": None}, "The status of the result is optimal, but its gap is inf"),
        ({"bound": 0.0}, "The gap of the result"),
        ({"bound": -7000.0}, "The bound of the result is below its score"),
        ({"status": "none"}, "status none, but a network"),
    ],
)
@pytest.mark.parametrize("command", [["plot", "-o", "out.svg"], ["query", "P(smoke)"], ["export", "a.bif"]])
def test_a_result_that_contradicts_itself_is_refused(
    change, sentence, command, tmp_path, monkeypatch, capsys
):
    from chordlearn.cli.app import run

    monkeypatch.chdir(tmp_path)
    Path("result.json").write_text(json.dumps(cl.learn("heart").to_dict() | change), encoding="utf-8")
    name, *options = command
    assert run([name, "result.json", *options]) == 2
    assert sentence in " ".join(capsys.readouterr().err.split())
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]
    assert run(["compare", "result.json", "result.json"]) == 2
    assert run(["verify", "result.json"]) != 0
