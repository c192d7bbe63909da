"""Which edges of econ can one rely on?

Puts side by side what the score loses without an edge and how often the edge comes back in resampled data.
"""

import chordlearn as cl

data = cl.read("econ")
network = cl.fit(cl.learn(data), data)
strengths = cl.edge_strengths(network, data, score=cl.BDeu())
resampled = cl.bootstrap(data, samples=50, seed=1)

print(f"{'edge':<36}{'score lost':>12}{'came back':>12}")
for strength in sorted(strengths, key=lambda one: -one.loss):
    share = resampled.edges[strength.edge]
    print(f"{' – '.join(strength.edge):<36}{strength.loss:>12.2f}{share:>12.0%}")
