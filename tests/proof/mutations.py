"""Ways to falsify a proof or a result: each makes the claim wrong, or breaks the chain that proves it.

A mutation takes the texts of the files and changes them. What it changes is stated anew wherever the folder
repeats it (hashes of files, fields that claim and result share), so that only the content can give it away.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from chordlearn.certificate.proofs import claim as claims
from chordlearn.network.chordal import ChordalNetwork

Texts = dict[str, str]
Mutation = Callable[[Texts, random.Random], None]


def texts_of(folder: Path) -> Texts:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def state_hashes(texts: Texts) -> None:
    """State the hashes of the files as they are now."""
    claim = json.loads(texts[claims.CLAIM])
    claim["files"] = {name: hashlib.sha256(texts[name].encode()).hexdigest() for name in claim["files"]}
    texts[claims.CLAIM] = json.dumps(claim)


def write(folder: Path, texts: Texts) -> None:
    """Make these the files of the folder."""
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def edit(texts: Texts, name: str, change: Callable[[dict[str, Any]], object]) -> None:
    document = json.loads(texts[name])
    change(document)
    texts[name] = json.dumps(document)


def both(texts: Texts, change: Callable[[dict[str, Any]], None]) -> None:
    """Change a field that the claim and the result share."""
    edit(texts, claims.RESULT, change)
    edit(texts, claims.CLAIM, change)


def lines(texts: Texts, name: str) -> list[list[str]]:
    return [line.split() for line in texts[name].splitlines()]


def put_lines(texts: Texts, name: str, rows: list[list[str]]) -> None:
    texts[name] = "".join(f"{' '.join(row)}\n" for row in rows)


# Result and claim


def move_score(texts: Texts, chance: random.Random) -> None:
    """The network does not score that."""
    by = chance.choice([-1, 1]) * 10 ** chance.uniform(-4, 2)

    def change(document: dict[str, Any]) -> None:
        document["score"] += by
        if "bound" in document:
            document["bound"] += by
            document["gap"] = document["bound"] - document["score"]

    both(texts, change)


def shrink_tolerance(texts: Texts, chance: random.Random) -> None:
    """The integers prove nothing that fine."""
    both(texts, lambda document: document.update(tolerance=1e-12))
    edit(texts, claims.RESULT, lambda result: result.update(bound=result["score"], gap=0.0))


def other_score_function(texts: Texts, chance: random.Random) -> None:
    """By another score, the network and all sets are worth something else."""
    function = chance.choice(
        [
            {"name": "bdeu", "parameters": {"ess": chance.uniform(1.5, 20)}},
            {"name": "bic", "parameters": {}},
            {"name": "dirichlet", "parameters": {"alpha": chance.uniform(0.3, 3)}},
            {"name": "bdeu", "parameters": {"ess": 1.0, "edge_prior": chance.uniform(0.1, 3)}},
        ]
    )
    both(texts, lambda document: document.update(score_function=function))


def other_data(texts: Texts, chance: random.Random) -> None:
    digit = chance.choice("0123456789abcdef")
    position = chance.randrange(64)

    def change(document: dict[str, Any]) -> None:
        old = document["data_sha256"]
        new = digit if old[position] != digit else "f" if digit != "f" else "0"
        document["data_sha256"] = old[:position] + new + old[position + 1 :]

    both(texts, change)


def other_rows(texts: Texts, chance: random.Random) -> None:
    edit(
        texts, claims.RESULT, lambda result: result.update(rows=result["rows"] + chance.choice([-1, 1, 100]))
    )


def drop_edge(texts: Texts, chance: random.Random) -> None:
    edit(texts, claims.RESULT, lambda result: result["edges"].pop(chance.randrange(len(result["edges"]))))


def drop_clique(texts: Texts, chance: random.Random) -> None:
    edit(texts, claims.RESULT, lambda result: result["cliques"].pop(chance.randrange(len(result["cliques"]))))


def grow_clique(texts: Texts, chance: random.Random) -> None:
    def change(result: dict[str, Any]) -> None:
        clique = chance.choice(result["cliques"])
        clique.append(chance.choice([name for name in result["variables"] if name not in clique]))

    edit(texts, claims.RESULT, change)


def drop_separator(texts: Texts, chance: random.Random) -> None:
    edit(texts, claims.RESULT, lambda result: result["separators"].pop())


def swap_variables(texts: Texts, chance: random.Random) -> None:
    """The columns of the data stand in another order."""

    def change(document: dict[str, Any]) -> None:
        names = document["variables"]
        names[0], names[-1] = names[-1], names[0]

    both(texts, change)


def lift_largest_clique(texts: Texts, chance: random.Random) -> None:
    """Among networks with larger cliques another one is best, and their sets have no integers."""

    def change(document: dict[str, Any]) -> None:
        document["constraints"]["max_clique"] = larger

    larger = chance.choice([None, 3, 4])
    both(texts, change)


def lift_forbidden_edge(texts: Texts, chance: random.Random) -> None:
    both(texts, lambda document: document["constraints"].update(forbidden=[]))


def forget_required_edge(texts: Texts, chance: random.Random) -> None:
    both(texts, lambda document: document["constraints"].update(required=[]))


def disagree(texts: Texts, chance: random.Random) -> None:
    """The claim is about something else than the result beside it."""
    field = chance.choice(["score", "tolerance", "data_sha256", "variables", "constraints", "score_function"])
    edit(texts, claims.CLAIM, lambda claim: claim.update({field: None}))


def move_threshold(texts: Texts, chance: random.Random) -> None:
    """Higher, it proves too little; lower, it is below what the network itself reaches."""
    by = chance.choice([-1, 1]) * round(10 ** chance.uniform(2.5, 12))
    edit(texts, claims.CLAIM, lambda claim: claim.update(threshold=claim["threshold"] + by))


def change_factor(texts: Texts, chance: random.Random) -> None:
    factor = chance.choice([0.5, 2.0, 4.0, 2.0**-20])
    edit(texts, claims.CLAIM, lambda claim: claim.update(factor=claim["factor"] * factor))


def crown_another(texts: Texts, chance: random.Random) -> None:
    """Another network, with its right score, is called optimal; every field is as a run would write it."""
    result = json.loads(texts[claims.RESULT])
    claim = json.loads(texts[claims.CLAIM])
    other = chance.choice(result["runners_up"])
    network = ChordalNetwork.from_cliques(result["variables"], other["cliques"])
    tree = [
        {"cliques": list(edge.cliques), "separator": list(edge.separator)} for edge in network.junction_tree
    ]
    lower = claim["score"] - other["score"]
    result |= {
        "score": other["score"],
        "bound": other["score"],
        "gap": 0.0,
        "cliques": [list(clique) for clique in network.cliques],
        "separators": [list(separator) for separator in network.separators],
        "edges": [list(edge) for edge in network.edges],
        "junction_tree": tree,
        "runners_up": [],
    }
    claim["score"] = other["score"]
    if chance.random() < 0.5:
        claim["threshold"] -= math.floor(lower * claim["factor"])
    texts[claims.RESULT], texts[claims.CLAIM] = json.dumps(result), json.dumps(claim)


# Integer scores


def change_integer(texts: Texts, chance: random.Random) -> None:
    rows = lines(texts, claims.SCORES)
    row = chance.choice(rows)
    row[0] = str(int(row[0]) + chance.choice([-1, 1]) * round(10 ** chance.uniform(2.5, 10)))
    put_lines(texts, claims.SCORES, rows)


def drop_integer(texts: Texts, chance: random.Random) -> None:
    rows = lines(texts, claims.SCORES)
    rows.pop(chance.randrange(len(rows)))
    put_lines(texts, claims.SCORES, rows)


def swap_integers(texts: Texts, chance: random.Random) -> None:
    rows = lines(texts, claims.SCORES)
    first, second = chance.sample([row for row in rows if len(row) == 3], 2)
    first[0], second[0] = second[0], first[0]
    put_lines(texts, claims.SCORES, rows)


# Bounds


def change_bound(texts: Texts, chance: random.Random) -> None:
    rows = lines(texts, claims.BOUNDS)
    row = chance.choice([row for row in rows if len(row) >= 2 and row[0] != "split"])
    row[chance.randrange(2)] = str(int(row[0]) + chance.choice([-1000, 1, 1000]))
    put_lines(texts, claims.BOUNDS, rows)


def exclude_another(texts: Texts, chance: random.Random) -> None:
    """A set that no number excludes takes the place of one in the list."""
    rows = lines(texts, claims.BOUNDS)
    row = chance.choice([row for row in rows if len(row) >= 4 and row[0] != "split"])
    row.pop()
    put_lines(texts, claims.BOUNDS, rows)


def exclude_everything(texts: Texts, chance: random.Random) -> None:
    """The first round excludes the empty set, with numbers that would do."""
    threshold = json.loads(texts[claims.CLAIM])["threshold"]
    put_lines(texts, claims.BOUNDS, [["round"], ["0", str(threshold - chance.randrange(9))]])
    for name in claims.WITH_INSTANCE:
        texts.pop(name, None)
    edit(texts, claims.CLAIM, lambda claim: [claim["files"].pop(name, None) for name in claims.WITH_INSTANCE])


def keep_excluded(texts: Texts, chance: random.Random) -> None:
    """A set is no longer excluded, which the instance or the later bounds rely on."""
    rows = lines(texts, claims.BOUNDS)
    first = [i for i, row in enumerate(rows) if len(row) >= 4 and row[0] != "split"]
    rows.pop(chance.choice(first))
    put_lines(texts, claims.BOUNDS, rows)


def end_too_early(texts: Texts, chance: random.Random) -> None:
    rows = lines(texts, claims.BOUNDS)
    put_lines(texts, claims.BOUNDS, rows[: -chance.randrange(1, min(6, len(rows)) + 1)])


def leave_open(texts: Texts, chance: random.Random) -> None:
    """A case is left open for an instance that is not there."""
    rows = lines(texts, claims.BOUNDS)
    splits = [i for i, row in enumerate(rows) if row[0] == "split"]
    put_lines(texts, claims.BOUNDS, [*rows[: chance.choice(splits)], ["open"]])


# Instance, cores, refutation


def clauses_from(rows: list[list[str]]) -> list[int]:
    start = next(i for i, row in enumerate(rows) if row[0] == "p")
    return list(range(start + 1, len(rows)))


def flip_literal(texts: Texts, chance: random.Random) -> None:
    rows = lines(texts, claims.INSTANCE)
    row = rows[chance.choice(clauses_from(rows))]
    position = chance.randrange(len(row) - 1)
    row[position] = str(-int(row[position]))
    put_lines(texts, claims.INSTANCE, rows)


def drop_clause(texts: Texts, chance: random.Random) -> None:
    rows = lines(texts, claims.INSTANCE)
    places = clauses_from(rows)
    rows.pop(chance.choice(places))
    heading = rows[places[0] - 1]
    heading[3] = str(int(heading[3]) - 1)
    put_lines(texts, claims.INSTANCE, rows)


def add_contradiction(texts: Texts, chance: random.Random) -> None:
    """With two more clauses everything is refuted at once."""
    rows = lines(texts, claims.INSTANCE)
    places = clauses_from(rows)
    heading = rows[places[0] - 1]
    heading[3] = str(int(heading[3]) + 2)
    variable = str(chance.randrange(1, int(heading[2])))
    rows += [[variable, "0"], [f"-{variable}", "0"]]
    put_lines(texts, claims.INSTANCE, rows)
    count = len(places)
    put_lines(texts, claims.LEMMAS, [[str(count + 3), "0", str(count + 1), str(count + 2), "0"]])


def change_weight(texts: Texts, chance: random.Random) -> None:
    """More than the literals cost, or too little to get there."""
    rows = lines(texts, claims.CORES)
    row = chance.choice(rows)
    row[0] = str(int(row[0]) + chance.choice([-1, 1]) * round(10 ** chance.uniform(3, 9)))
    put_lines(texts, claims.CORES, rows)


def drop_core(texts: Texts, chance: random.Random) -> None:
    rows = lines(texts, claims.CORES)
    rows.pop(chance.randrange(len(rows)))
    put_lines(texts, claims.CORES, rows)


def repeat_core(texts: Texts, chance: random.Random) -> None:
    rows = lines(texts, claims.CORES)
    rows.insert(chance.randrange(len(rows)), list(chance.choice(rows)))
    put_lines(texts, claims.CORES, rows)


def shrink_core(texts: Texts, chance: random.Random) -> None:
    """A literal less: the instance does not say so, and it need not be a core."""
    rows = lines(texts, claims.CORES)
    row = chance.choice([row for row in rows if len(row) > 2])
    row.pop(chance.randrange(1, len(row)))
    put_lines(texts, claims.CORES, rows)


def empty_core(texts: Texts, chance: random.Random) -> None:
    """A core without literals would end everything."""
    put_lines(texts, claims.CORES, [[str(chance.randrange(1, 10**6))]])


def drop_hint(texts: Texts, chance: random.Random) -> None:
    rows = lines(texts, claims.LEMMAS)
    row = chance.choice(rows)
    row.pop(chance.randrange(row.index("0") + 1, len(row) - 1))
    put_lines(texts, claims.LEMMAS, rows)


def drop_lemma(texts: Texts, chance: random.Random) -> None:
    """Every lemma is used later on."""
    rows = lines(texts, claims.LEMMAS)
    rows.pop(chance.randrange(len(rows)))
    put_lines(texts, claims.LEMMAS, rows)


def conclude_early(texts: Texts, chance: random.Random) -> None:
    """A lemma's hints prove the empty clause only if its literals are taken to be false."""
    rows = lines(texts, claims.LEMMAS)
    row = chance.choice([row for row in rows if row.index("0") >= 2])
    row[1 : row.index("0")] = []
    put_lines(texts, claims.LEMMAS, rows)


def use_before_proof(texts: Texts, chance: random.Random) -> None:
    """A lemma leans on itself."""
    rows = lines(texts, claims.LEMMAS)
    row = chance.choice(rows)
    row[row.index("0") + 1 :] = [row[0], "0"]
    put_lines(texts, claims.LEMMAS, rows)


def conclude_at_once(texts: Texts, chance: random.Random) -> None:
    count = len(clauses_from(lines(texts, claims.INSTANCE)))
    hints = [str(chance.randrange(1, count + 1)) for _ in range(chance.randrange(1, 9))]
    put_lines(texts, claims.LEMMAS, [[str(count + 1), "0", *hints, "0"]])


# Cuts


def cut_lines(rows: list[list[str]]) -> list[int]:
    return [i for i, row in enumerate(rows) if len(row) > 1 and row[1] in ("component", "around", "edge")]


def change_multipliers(texts: Texts, chance: random.Random) -> None:
    """A little more or less may do, but not so much."""
    by = chance.choice([0, 2, 3, 10])

    def change(row: list[str]) -> list[str]:
        return [str(by * int(row[0])), *row[1:]] if row[1:2] == ["component"] else row

    put_lines(texts, claims.CUTS, [change(row) for row in lines(texts, claims.CUTS)])


def negative_multiplier(texts: Texts, chance: random.Random) -> None:
    """What is left over in a cut counts against the bound."""
    rows = lines(texts, claims.CUTS)
    row = rows[chance.choice(cut_lines(rows))]
    row[0] = f"-{row[0]}"
    put_lines(texts, claims.CUTS, rows)


def drop_cuts(texts: Texts, chance: random.Random) -> None:
    rows = lines(texts, claims.CUTS)
    dropped = {i for i in cut_lines(rows) if chance.random() < 0.5}
    put_lines(texts, claims.CUTS, [row for i, row in enumerate(rows) if i not in dropped])


def count_on_an_edge(texts: Texts, chance: random.Random) -> None:
    """Nothing says that the edge is there."""
    rows = lines(texts, claims.CUTS)
    rows.insert(chance.choice(cut_lines(rows)), [str(chance.randrange(1, 10**9)), "edge", "0", "1"])
    put_lines(texts, claims.CUTS, rows)


def overlapping_cut(texts: Texts, chance: random.Random) -> None:
    """Seen from a set that is part of what it is about."""
    rows = lines(texts, claims.CUTS)
    rows.insert(chance.choice(cut_lines(rows)), f"{chance.randrange(1, 99)} around 0 : 0 1 2 : 1".split())
    put_lines(texts, claims.CUTS, rows)


def understate_most(texts: Texts, chance: random.Random) -> None:
    """A family of a variable is worth more."""
    rows = lines(texts, claims.CUTS)
    row = next(row for row in rows if row[0] == "most")
    place = chance.randrange(1, len(row))
    row[place] = str(int(row[place]) - round(10 ** chance.uniform(5, 11)))
    put_lines(texts, claims.CUTS, rows)


def forget_most(texts: Texts, chance: random.Random) -> None:
    rows = lines(texts, claims.CUTS)
    put_lines(texts, claims.CUTS, [row for row in rows if row[0] != "most"])


def miscount(texts: Texts, chance: random.Random) -> None:
    rows = lines(texts, claims.CUTS)
    row = chance.choice([row for row in rows if row[0] == "left"])
    row[1] = str(int(row[1]) + chance.choice([-1, 1, 100]))
    put_lines(texts, claims.CUTS, rows)


def close_early(texts: Texts, chance: random.Random) -> None:
    """Sets are left when nothing is said to be."""
    rows = lines(texts, claims.CUTS)
    first = next(i for i, row in enumerate(rows) if row[0] == "left")
    put_lines(texts, claims.CUTS, [*rows[: first + chance.randrange(2)], ["closed"]])


def leave_case_out(texts: Texts, chance: random.Random) -> None:
    """A split whose second case never comes."""
    rows = lines(texts, claims.CUTS)
    place = next(i for i, row in enumerate(rows) if row[0] in ("all", "left")) + 1
    rows.insert(place, ["split", "0", str(chance.randrange(1, 9))])
    put_lines(texts, claims.CUTS, rows)


def close_without_prices(texts: Texts, chance: random.Random) -> None:
    put_lines(texts, claims.CUTS, [["all"], ["prices"] * chance.randrange(2), ["closed"]])


def stop_short(texts: Texts, chance: random.Random) -> None:
    rows = lines(texts, claims.CUTS)
    put_lines(texts, claims.CUTS, rows[: -chance.randrange(1, min(6, len(rows)) + 1)])


OF_CUTS: list[Mutation] = [
    change_multipliers,
    negative_multiplier,
    drop_cuts,
    count_on_an_edge,
    overlapping_cut,
    leave_case_out,
    close_without_prices,
    stop_short,
]
OF_FAMILIES: list[Mutation] = [understate_most, forget_most, miscount, close_early]


# Whole files


def cut_off(texts: Texts, chance: random.Random) -> None:
    name = chance.choice([name for name in texts if name != "README.txt"])
    texts[name] = texts[name][: int(len(texts[name]) * chance.uniform(0.05, 0.9))]


def lose_file(texts: Texts, chance: random.Random) -> None:
    texts.pop(chance.choice([name for name in texts if name not in ("README.txt", claims.CLAIM)]))


def change_digit(texts: Texts, chance: random.Random) -> None:
    """One digit in one of the files, and the hash as it was."""
    name = chance.choice([name for name in texts if name not in ("README.txt", claims.CLAIM)])
    places = [i for i, letter in enumerate(texts[name]) if letter.isdigit()]
    place = chance.choice(places) if places else 0
    digit = chance.choice([d for d in "0123456789" if d != texts[name][place]])
    texts[name] = texts[name][:place] + digit + texts[name][place + 1 :]


OF_EVERY_PROOF: list[Mutation] = [
    move_score,
    shrink_tolerance,
    other_score_function,
    other_data,
    other_rows,
    drop_edge,
    drop_clique,
    grow_clique,
    drop_separator,
    swap_variables,
    disagree,
    move_threshold,
    change_factor,
    crown_another,
]
OF_INTEGERS: list[Mutation] = [change_integer, drop_integer, swap_integers]
OF_BOUNDS: list[Mutation] = [end_too_early, exclude_everything]
OF_AN_INSTANCE: list[Mutation] = [
    flip_literal,
    drop_clause,
    add_contradiction,
    change_weight,
    drop_core,
    repeat_core,
    shrink_core,
    empty_core,
    drop_hint,
    drop_lemma,
    conclude_early,
    use_before_proof,
    conclude_at_once,
]
OF_EXCLUDED_SETS: list[Mutation] = [change_bound, exclude_another, keep_excluded]
OF_CASES: list[Mutation] = [change_bound, exclude_another, leave_open]
OF_CONSTRAINTS: list[Mutation] = [lift_largest_clique, lift_forbidden_edge, forget_required_edge]
OF_A_RESULT: list[Mutation] = [
    move_score,
    other_score_function,
    other_data,
    other_rows,
    drop_edge,
    drop_clique,
    grow_clique,
    drop_separator,
    swap_variables,
]
OF_WHOLE_FILES: list[Mutation] = [cut_off, lose_file, change_digit]


def mutated(texts: Texts, mutations: list[Mutation], times: int) -> Iterator[tuple[str, Texts]]:
    """The texts changed by each mutation so many times, with a name to find it again."""
    for mutation in mutations:
        for number in range(times):
            name = f"{mutation.__name__} {number}"
            changed = dict(texts)
            mutation(changed, random.Random(name))
            if changed != texts:
                yield name, changed
