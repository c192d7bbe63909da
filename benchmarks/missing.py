"""What learning by EM is worth beside dropping rows and beside 'missing' as a state.

    python benchmarks/missing.py FOLDER [--seeds N] [--tables NAME,…]

FOLDER has CSV files of the UCI repository: voting, mushroom, bridges, car, tictactoe. Of each the complete
rows are taken, two thirds of them to learn from. In these, holes are punched, anywhere or only where the last
column has its commonest state. Each way is compared with the network of the same rows without holes
(edges that differ), and by the mean log-likelihood of the other third, whole rows. With 'missing' as a state
that is the log-likelihood given that nothing is missing, since the others are not asked about that either.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

import chordlearn as cl
from chordlearn.network.evaluation import compare

LARGEST = 4
"""Variables in a clique."""
COLUMNS, ROWS = 12, 1500
"""So many are taken of the larger tables."""
WAYS = ("drop", "category", "em")


def tables(folder: Path, chosen: list[str]) -> Iterator[tuple[str, pl.DataFrame]]:
    """The complete rows of each table; of the larger ones some rows and columns."""
    for name in chosen:
        if name == "econ":
            data = cl.read(name)
            frame = data.to_frame()[:, :-1].cast(pl.String)
            frame = frame[np.repeat(np.arange(frame.height), data.weights)]
        else:
            frame = pl.read_csv(folder / f"{name}.csv", infer_schema=False, null_values=["?"]).drop_nulls()
        if name == "mushroom":
            frame = frame[:, [*range(1, COLUMNS), frame.width - 1]]
        yield name, frame.sample(min(frame.height, ROWS), seed=1, shuffle=True)


def punched(frame: pl.DataFrame, share: float, depending: bool, rng: np.random.Generator) -> pl.DataFrame:
    """The rows with holes in this share of the values of all columns but the last."""
    rate = np.full(frame.height, share)
    if depending:
        last = frame[frame.columns[-1]]
        common = (last == last.mode().sort()[0]).to_numpy()
        rate = np.where(common, min(0.9, share / common.mean()), 0.0)
    return frame.with_columns(
        pl.when(pl.Series(rng.random(frame.height) < rate)).then(None).otherwise(pl.col(name)).alias(name)
        for name in frame.columns[:-1]
    )


def likelihood(network: cl.FittedNetwork, test: pl.DataFrame) -> float:
    """The mean log-likelihood of whole rows, given that nothing is missing."""
    holes = {
        name: {state: float(state != "?") for state in labels}
        for name, labels in zip(network.variables, network.states, strict=True)
        if "?" in labels
    }
    observed = np.log(network.probability(holes)) if holes else 0.0
    return float(network.log_likelihood(test).mean() - observed)


def measured(train: pl.DataFrame, test: pl.DataFrame, holes: pl.DataFrame) -> Iterator[tuple[float, float]]:
    """Of each way the edges that differ and the log-likelihood; NaN where no row is left."""
    states = {name: pl.concat([train, test])[name].unique().to_list() for name in train.columns}
    best = cl.learn(train, states=states, max_clique=LARGEST, threads=1)
    for way in WAYS:
        if way == "drop" and holes.drop_nulls().height < 2:
            yield np.nan, np.nan
            continue
        data = cl.read(holes, missing=way, states=states)
        found = cl.learn(data, max_clique=LARGEST, threads=1)
        if found.status != ("feasible" if data.has_gaps else "optimal"):
            raise SystemExit(f"{way}: {found.status_in_words}")
        yield float(compare(best, found).distance), likelihood(cl.fit(found, data), test)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--tables", default="voting,mushroom,bridges,econ,car,tictactoe")
    asked = parser.parse_args()
    ways = "dropping | as a state | EM"
    print(f"| table | holes | where | edges that differ: {ways} | log-likelihood: {ways} |")
    print("|---" * 9 + "|")
    for name, frame in tables(asked.folder, asked.tables.split(",")):
        cut = 2 * frame.height // 3
        train, test = frame.head(cut), frame.tail(-cut)
        for share in (0.1, 0.3):
            for depending in (False, True):
                rows = [
                    list(measured(train, test, punched(train, share, depending, np.random.default_rng(seed))))
                    for seed in range(asked.seeds)
                ]
                mean = np.array(rows).mean(axis=0)
                cells = [f"{one:.1f}" for one in mean[:, 0]] + [
                    f"{one:.3f}".replace("-", "−") for one in mean[:, 1]
                ]
                where = "by the last column" if depending else "anywhere"
                shown = ["none left" if "nan" in cell else cell for cell in cells]
                print(f"| {name} | {share:.0%} | {where} | {' | '.join(shown)} |", flush=True)


if __name__ == "__main__":
    main()
