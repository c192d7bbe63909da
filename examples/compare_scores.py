"""How much does the network of heart depend on the score?

Learns the best network under six scores and judges each by rows that it has not seen.
"""

import polars as pl

import chordlearn as cl

rows = cl.fit(cl.learn("heart")).sample(4000, seed=2)
seen, unseen = rows.head(1000), rows.tail(3000)
scores: dict[str, dict[str, object]] = {
    "BDeu, ess 1": {"score": "bdeu", "ess": 1.0},
    "BDeu, ess 10": {"score": "bdeu", "ess": 10.0},
    "Jeffreys": {"score": "jeffreys"},
    "BIC": {"score": "bic"},
    "AIC": {"score": "aic"},
    "qNML": {"score": "qnml"},
}
table = []
for name, options in scores.items():
    result = cl.learn(seen, **options)  # type: ignore[arg-type]
    fit = cl.fit(result, seen)
    table.append({"score": name, "edges": len(result.edges), "unseen row": fit.log_likelihood(unseen).mean()})

with pl.Config(tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True):
    print(pl.DataFrame(table).sort("unseen row", descending=True))
