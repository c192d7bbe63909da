"""`chordlearn edges`, `compare`, `export` and `plot`: what is known of a network."""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

import chordlearn as cl
from chordlearn.cli.console import Console, answer
from chordlearn.cli.options import THREADS, FitOption, ForceOption, JsonOption, NetworkArgument, with_options
from chordlearn.cli.progress import ProgressLine
from chordlearn.errors import InputError
from chordlearn.report.outputs import check_outputs, check_picture, kind_of, saved_kind
from chordlearn.system.files import write_whole
from chordlearn.system.text import shown


@with_options(THREADS)
def edges_command(
    network: NetworkArgument,
    threads: int | None,
    data: FitOption = None,
    relearn: Annotated[
        bool,
        typer.Option("--relearn", help="Learn the best network without each edge, even if removal is easy."),
    ] = False,
    posterior: Annotated[
        bool, typer.Option("--posterior", help="Also the probability of each edge over all networks.")
    ] = False,
    bootstrap: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Also its frequency in the networks of N resampled tables."),
    ] = 0,
    json: JsonOption = None,
    force: ForceOption = False,
) -> None:
    """Measure what each edge is worth: the score lost without it, and how its ends depend on each other.

    Mutual information (in nats), G², degrees of freedom and p are of the two given their common neighbours.
    Below stands how the whole model fits. Degrees of freedom are adjusted for empty cells.
    """
    check_outputs([(json, "edges")], [network, data], force=force)
    with ProgressLine() as line:
        line.progress("reading")
        net = cl.load_network(network, data)
        found = cl.edge_strengths(
            net,
            data,
            relearn=relearn,
            posterior=posterior,
            bootstrap=bootstrap,
            threads=threads,
            observer=line,
        )
        whole = cl.model_fit(net, data)
    strongest_first = sorted(found, key=lambda one: math.inf if one.loss is None else -one.loss)

    def show(console: Console) -> None:
        rows = []
        for one in strongest_first:
            information = one.conditional_mutual_information
            lost, by = ("required", "") if one.loss is None else (f"{one.loss:.4f}", one.by)
            known = "" if information is None else f"{information:.6f}"
            test = [f"{one.test.g_squared:.1f}", str(one.test.degrees_of_freedom), f"{one.test.p_value:.2g}"]
            shares = [f"{share:.4f}" for share in (one.probability, one.frequency) if share is not None]
            rows.append(["–".join(one.edge), lost, *(shares or [by, known]), *test])
        asked = [">posterior"] * posterior + [">bootstrap"] * (bootstrap > 0)
        heads = ["edge", ">score lost", *(asked or ["by", ">information"]), ">G²", ">df", ">p"]
        console.table(heads, rows, fixed=1)
        console.say()
        freedom = f"{whole.adjusted_degrees_of_freedom} degrees of freedom, p = {whole.p_value:.2g}"
        console.table(
            ["", ""],
            [
                ["model", whole.formula],
                ["deviance", f"{whole.deviance:.2f} against the saturated model, {freedom}"],
                ["", f"{whole.degrees_of_freedom} degrees of freedom with empty cells counted"],
                ["AIC, BIC", f"{whole.aic:.2f}, {whole.bic:.2f}; {whole.parameters} parameters"],
            ],
        )
        console.say()
        console.say("The same model in R:", style="bold")
        for line_of_r in whole.r.splitlines():
            console.say(line_of_r)

    document = {
        "variables": net.variables,
        "edges": [one.to_dict() for one in strongest_first],
        "model": whole.to_dict(),
    }
    answer("edges", document, json, show)


def compare_command(
    first: Annotated[
        Path, typer.Argument(metavar="NET1", help="A network file or a result.", show_default=False)
    ],
    second: Annotated[Path, typer.Argument(metavar="NET2", help="Another.", show_default=False)],
    data: Annotated[
        str | None,
        typer.Option(
            metavar="DATA",
            help="Score both on these data, with the score function of the first. "
            "[dim](default: the scores on record, if they are of the same data)[/dim]",
        ),
    ] = None,
    json: JsonOption = None,
    force: ForceOption = False,
) -> None:
    """Compare two networks: edges, structural Hamming distance, scores."""
    check_outputs([(json, "comparison")], [first, second, data], force=force)
    one, other = _structure_in(first), _structure_in(second)
    found, scores = cl.compare(one, other), cl.compare_scores(one, other, data)

    def show(console: Console) -> None:
        console.say(f"structural Hamming distance {found.distance}")
        for title, edges in (
            ("in both", found.common),
            ("only in the first", found.only_first),
            ("only in the second", found.only_second),
        ):
            listed = shown("  ".join("–".join(edge) for edge in edges)) or "none"
            console.print(Text.assemble((f"{title} ({len(edges)}): ", "bold"), listed))
        if scores.scores is None:
            console.say(scores.why_not, style="dim")
        else:
            before, after = scores.scores
            source = "" if scores.source == "data" else " (on record; --data would compute them again)"
            console.say(
                f"score {before:.6f} and {after:.6f}: the second has {scores.difference:+.6f}{source}"
            )

    document = {"networks": [str(first), str(second)], **found.to_dict(), **scores.to_dict()}
    answer("comparison", document, json, show)


def _structure_in(path: Path) -> cl.FittedNetwork | cl.Result:
    """The network in a network file or a result; its data are not read."""
    if kind_of(path) == "network" or path.name.endswith(".chord.json"):
        return cl.FittedNetwork.load(path)
    result = cl.Result.load(path)
    try:
        _ = result.network
    except InputError as error:
        raise InputError(f"{path}: {error.sentence}") from None
    return result


def export_command(
    network: NetworkArgument,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…",
            help="By suffix: .bif, .xmlbif, .uai, .net (Hugin), .graphml, .dot, .csv, .chord.json.",
            show_default=False,
        ),
    ],
    data: FitOption = None,
    json: JsonOption = None,
    force: ForceOption = False,
) -> None:
    """Write a network in formats that other programs read."""
    check_outputs(
        [(json, "export"), *((path, saved_kind(path)) for path in files)], [network, data], force=force
    )
    net = cl.load_network(network, data)
    texts = [net.export_text(path) for path in files]
    for path, text in zip(files, texts, strict=True):
        write_whole(path, text)
    names = [str(path) for path in files]
    answer("export", {"files": names}, json, lambda console: console.say("\n".join(names)))


class Picture(StrEnum):
    """What to draw."""

    GRAPH = "graph"
    JUNCTION_TREE = "junction-tree"
    HEATMAP = "heatmap"
    TRACE = "trace"
    CACTUS = "cactus"
    SIZES = "sizes"


def plot_command(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A network file, a result or the folder of a proof, a checkpoint, a trace, the records of "
            "table1, the JSON of bootstrap or edges, or a graph (.csv, .graphml, .dot).",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The picture: .png, .svg or .pdf.", show_default=False
        ),
    ],
    kind: Annotated[
        Picture | None,
        typer.Option(help="What to draw. [dim](default: graph, or what the file holds)[/dim]"),
    ] = None,
    data: Annotated[
        str | None, typer.Option(metavar="DATA", help="What a result was learned from, if it is not found.")
    ] = None,
    size: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="WIDTH HEIGHT", help="Inches, into which the picture fits.", show_default=False),
    ] = None,
    font_size: Annotated[float | None, typer.Option(help="Points of the names of variables.")] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="The smallest strength or probability of an edge that is drawn."),
    ] = None,
    colours: Annotated[
        str | None,
        typer.Option(metavar="MAP", help="A colormap of matplotlib for edges or cells, by their numbers."),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Draw a network, its junction tree, the strengths of its edges, or how a proof came about."""
    from chordlearn.report.pictures import save_picture

    check_picture(output)
    result_of_proof = source / "result.json"
    if result_of_proof.is_file():
        source = result_of_proof
    check_outputs([(output, "picture")], [source, data], force=force)
    look = {"size": size, "font_size": font_size, "threshold": threshold, "colours": colours}
    save_picture(cl.plot(source, kind, data=data, **look), output)  # type: ignore[arg-type]
