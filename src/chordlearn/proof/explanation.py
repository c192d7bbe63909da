"""The README.txt of a proof: what each file says, and how to check it without chordlearn."""

from __future__ import annotations

from chordlearn.result import Result

_START = """\
A proof that a chordal network is optimal
=========================================

Claim: among the chordal networks on {variables} variables that the constraints in claim.json allow, none scores more than
{score:.6f} + {tolerance:g}. The network that scores {score:.6f} is in result.json.

Check everything:   chordlearn verify THIS_FOLDER [DATA]

That check uses no code of the solver. It can also be redone by hand or with other programs, as follows.

claim.json     the claim: score, tolerance, score function, constraints, hash of the data, hashes of the files below
result.json    the network and how it was found
scores.txt     u(S), a whole number for each set S of two or more variables (numbered from 0 in the order of claim.json)
               that may be complete: the number, then the variables. It is factor * (v(S) - sum of v of the single
               variables), rounded; v is the score of a set. A network scores Σ u(cliques) - Σ u(separators) in these
               units. "threshold" in claim.json is the number of units that no network exceeds; since a network has at
               most n - 1 cliques and n - 2 separators of two or more variables, and each u is known to within a small
               error, this proves the claim.
bounds.txt     sets that cannot be complete in a network above the threshold. "round" begins a round; each of its lines
               has u(C), then the most that all variables outside C can add when C comes first in a perfect order and
               every later variable chooses its best complete set of earlier neighbours, then C. Where the two numbers
               add up to the threshold or less, C and all larger sets are excluded. "split i j" looks first at networks
               without the edge i j, then at those with it. A case ends when its empty set is excluded, or with "open".
"""

_INSTANCE = """\
instance.cnf   what is left open, as a contradiction in DIMACS form; comment lines give the meaning of each variable. The
               clauses hold of every chordal graph: an order of the variables is transitive, two neighbours of a
               variable that come before it are adjacent, an excluded set lacks an edge, required edges are there, and
               the variable of a set says whether it is complete (in the direction that matters). Further variables
               count the false literals of each core, and the last clauses say that one of the cores is none.
cores.txt      a weight and the literals of a core, of which not all can be true. A graph scores Σ m(S) over its complete
               sets S, m(S) = Σ (-1)^|S\\T| u(T) over the subsets T of S. A literal costs |m(S)| when it is false: the set
               is not complete (m > 0), or is (m < 0). A core takes its weight from the cost of each of its literals and
               adds it to the cost that is sure, and to the cost of each new literal "fewer than t of them are false",
               t = 2, 3, ... When the sure cost reaches Σ max(m, 0) - threshold, nothing scores above the threshold.
proof.lrat     the refutation of instance.cnf. Other programs check it too:
                   cake_lpr instance.cnf proof.lrat
                   lrat-check instance.cnf proof.lrat
                   drat-trim instance.cnf proof.drat     where proof.drat has the clauses of proof.lrat without their
                                                         numbers and hints
"""

_NO_INSTANCE = """\
The bounds close every case, so that there is no instance left for a SAT solver.
"""


def explanation(result: Result, *, with_instance: bool) -> str:
    """The text, in plain words."""
    start = _START.format(
        variables=len(result.variables), score=result.score, tolerance=result.tolerance
    )
    return start + (_INSTANCE if with_instance else _NO_INSTANCE)
