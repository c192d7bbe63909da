"""Fill in missing answers with a learned network, and count how many are right.

Takes rows of known answers, blots out one in five, completes them and compares.
"""

import numpy as np
import polars as pl

import chordlearn as cl

network = cl.fit(cl.learn("econ"))
truth = network.sample(2000, seed=3)

hidden = np.random.default_rng(3).random(truth.shape) < 0.2
gaps = truth.with_columns(
    pl.when(pl.Series(hidden[:, column])).then(None).otherwise(pl.col(name)).alias(name)
    for column, name in enumerate(truth.columns)
)
filled = network.complete(gaps)

for column, name in enumerate(truth.columns):
    right = (filled[name] == truth[name]).to_numpy()[hidden[:, column]].mean()
    commonest = max(network.marginal(name).probabilities)
    print(f"{name:<18} right {right:.0%}; the commonest state would be right {commonest:.0%}")
