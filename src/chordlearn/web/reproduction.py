"""The lines that learn the same again, for a script in Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chordlearn.network.result import Result


def python_of(result: Result) -> str | None:
    """Python that learns this result again; None where none can (scores from a file, or one's own).

    >>> import chordlearn as cl
    >>> print(python_of(cl.learn("heart", forbid=[("smoke", "phys")])))
    import chordlearn as cl
    <BLANKLINE>
    result = cl.learn(
        'heart',
        score='bdeu',
        ess=1.0,
        forbid=[('smoke', 'phys')],
        seed=0,
    )
    network = result.fit()
    network.save('heart.chord.json')
    """
    name, source = result.score_function["name"], str(result.data["source"])
    if name in ("file", "custom") or source == "memory":
        return None
    edges = {
        kind: [tuple(edge) for edge in result.constraints[recorded]]  # type: ignore[literal-required]
        for kind, recorded in (("require", "required"), ("forbid", "forbidden"))
    }
    parameters = {key: value for key, value in result.score_function["parameters"].items() if value != 0}
    given: dict[str, Any] = {**result.data["options"], "score": name, **parameters}
    given |= {"max_clique": result.constraints["max_clique"], **edges, "seed": result.seed}
    lines = [f"    {key}={value!r},\n" for key, value in given.items() if value not in (None, [])]
    target = f"{Path(source).name.partition('.')[0]}.chord.json"
    return (
        f"import chordlearn as cl\n\nresult = cl.learn(\n    {source!r},\n{''.join(lines)})\n"
        f"network = result.fit()\nnetwork.save({target!r})"
    )
