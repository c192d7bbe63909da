"""One task in a process of its own: describe a table, learn from it, or make what is asked of a result.

``python -P -m chordlearn.web.worker`` reads the task as a line of JSON from its input and answers with lines
of JSON. Ctrl-C ends learning with the best network so far; so does the end of the input, which comes when the
server has gone, and then nothing is left running.
"""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from chordlearn.backends.base.outcome import FINISHING
from chordlearn.errors import ChordlearnError, FalseClaimError, UnfinishedWarning
from chordlearn.graphs import can_add, can_remove, score_change
from chordlearn.system.files import write_whole
from chordlearn.system.json import plain_values
from chordlearn.system.signals import Held
from chordlearn.system.text import json_text

if TYPE_CHECKING:
    from chordlearn.backends.base.run import Run
    from chordlearn.network.result import Result

Say = Callable[[Mapping[str, Any]], None]

NEWS_SECONDS, NETWORK_SECONDS = 0.2, 0.1
"""At least so long between two messages, and before one with a network."""
MOST_NEWS = 500
"""Each time that the time of a run trebles, at most about so many messages more are said."""
ABANDONED_SECONDS = 5.0
"""What is left of a process whose server has gone is ended after this time."""
WHY_SECONDS = 20.0
"""For learning anew what a network with another edge scores."""
CHECKPOINT_SECONDS = 2.0
RESULT, NETWORK, DOCUMENT, CHECKPOINT = "result.json", "network.chord.json", "page.json", "checkpoint.json"


class Teller:
    """An observer that says what is new: the stage, the network when it improves, bounds and claims."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._run: Run | None = None
        self._started = time.monotonic()
        self._said: dict[str, Any] = {}
        self._said_at = -math.inf
        self._held = Held(patience=1)

    def follow(self, run: Run) -> None:
        """Say which variables the networks are about."""
        self._run = run
        self._say({"variables": list(run.problem.variables)})

    def progress(
        self, stage: str, score: float | None = None, bound: float | None = None, detail: str = ""
    ) -> None:
        """Say what differs from what was said before."""
        if stage == FINISHING and self._run is not None:
            # From here on Ctrl-C, pressed once, must not cost what was found.
            self._held.__enter__()
        known = {"stage": stage, "detail": detail, **self._known(score, bound)}
        news = {name: value for name, value in known.items() if value != self._said.get(name)}
        now = time.monotonic()
        elapsed = now - self._started
        pause = NETWORK_SECONDS if "cliques" in news else max(NEWS_SECONDS, elapsed / MOST_NEWS)
        if "stage" in news or (news and now - self._said_at >= pause):
            self._said |= news
            self._said_at = now
            self._say({"t": round(elapsed, 3), **plain_values(news)})

    def _known(self, score: float | None, bound: float | None) -> dict[str, Any]:
        known: dict[str, Any] = {} if score is None else {"score": score}
        if bound is not None and math.isfinite(bound):
            known["bound"] = bound
        run = self._run
        if run is None or run.best is None:
            return known
        known["score"] = run.best.score
        known["claims"] = [
            {
                "max_clique": claim.largest,
                "proved": claim.bound - claim.score <= run.tolerance,
                "score": claim.score,
                "gap": claim.bound - claim.score,
            }
            for claim in run.consistent_claims()
        ]
        if self._said.get("score") != run.best.score:
            n = run.problem.n
            known["cliques"] = [[i for i in range(n) if clique >> i & 1] for clique in run.best.cliques]
        return known


def survey(task: Mapping[str, Any], say: Say) -> None:
    """Describe a table, as `chordlearn data` does."""
    import chordlearn

    found = chordlearn.survey(task["source"], **task["reading"])
    say({"survey": found.to_dict()})


def learn(task: Mapping[str, Any], say: Say) -> None:
    """Learn, saying how it goes, and leave the result, its network and its document in the folder."""
    import chordlearn

    folder, teller, notes = Path(task["folder"]), Teller(say), []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        data = chordlearn.read(
            task["source"],
            **task["reading"],
            progress=lambda rows: teller.progress("reading", detail=f"{rows:,} rows"),
        )
        kept: dict[str, Any] = {"checkpoint": folder / CHECKPOINT, "resume": folder / CHECKPOINT}
        kept |= {"checkpoint_every": CHECKPOINT_SECONDS}
        try:
            result = chordlearn.learn(
                data, **task["learning"], **({} if data.has_gaps else kept), observer=teller
            )
        except FalseClaimError as error:
            if not isinstance(error.result, chordlearn.Result):
                raise
            result, notes = error.result, [str(error)]
    notes += [str(one.message) for one in caught if issubclass(one.category, UnfinishedWarning)]
    with Held():
        result.save(folder / RESULT)
        if result.status != "none":
            chordlearn.fit(result, data).save(folder / NETWORK)
        write_whole(folder / DOCUMENT, json.dumps(document_of(result, data), allow_nan=False))
    say({"result": summary(result), "notes": notes})


def document_of(result: Result, data: Any) -> dict[str, Any]:
    """What the explorer shows of a result."""
    from chordlearn.report.html import explorer_document

    return explorer_document(result, data)


def summary(result: Result) -> dict[str, Any]:
    """What the list of jobs shows of a result, and how to learn it again."""
    from chordlearn.report.html.sections import command_of
    from chordlearn.web.reproduction import python_of

    return {
        "status": result.status,
        "words": result.status_in_words,
        "stopped_by": result.stopped_by,
        "score": result.score if math.isfinite(result.score) else None,
        "bound": result.bound if math.isfinite(result.bound) else None,
        "edges": len(result.edges),
        "variables": len(result.variables),
        "command": command_of(result),
        "python": python_of(result),
    }


def save(task: Mapping[str, Any], say: Say) -> None:
    """Write one of the files that can be taken away."""
    import chordlearn
    from chordlearn.report.outputs import PICTURES, save_result

    folder, target = Path(task["folder"]), Path(task["target"])
    result = chordlearn.Result.load(folder / RESULT)
    if target.suffix == ".html":
        result.report(target)
    elif target.suffix in PICTURES:
        from chordlearn.report.pictures import save_picture

        save_picture(chordlearn.plot(folder / NETWORK), target)
    else:
        save_result(result, target, chordlearn.FittedNetwork.load(folder / NETWORK))
    say({"saved": target.name})


def why(task: Mapping[str, Any], say: Say) -> None:
    """What the score says of one pair of variables.

    The edge is added or taken away, all else as it is; where that leaves no chordal graph, the best network
    with or without it is learned anew.
    """
    import chordlearn
    from chordlearn.network.evaluation import recorded_function, value_of_masks

    result = chordlearn.Result.load(Path(task["folder"], RESULT))
    data = chordlearn.read(task["source"], **task["reading"])
    network, (first, second) = result.network, task["pair"]
    a, b = network.position(first), network.position(second)
    present = bool(network.graph[a] >> b & 1)
    if (can_remove if present else can_add)(network.graph, a, b):
        value = value_of_masks(network, data, recorded_function(result.score_function))
        say({"change": score_change(network.graph, a, b, value), "by": "alone"})
        return
    kind = "forbid" if present else "require"
    learning = {**task["learning"], "time_limit": WHY_SECONDS}
    learning[kind] = [*learning.get(kind, ()), (first, second)]
    other = chordlearn.learn(data, **learning)
    by = "relearning" if other.status == "optimal" else "search"
    say({"change": other.score - result.score, "by": by})


def posterior(task: Mapping[str, Any], say: Say) -> None:
    """The probability of every edge over all networks."""
    import chordlearn

    data = chordlearn.read(task["source"], **task["reading"])
    found = chordlearn.posterior(data, **task["learning"], observer=Teller(say))
    edges = [[a, b, p.value] for (a, b), p in found.edges.items()]
    say({"posterior": edges, "note": found.note})


TASKS = {one.__name__: one for one in (survey, learn, save, why, posterior)}


def _end_with_the_server(stream: IO[str]) -> None:
    """Wait for the end of the input, and then end as Ctrl-C does, or at once if that takes long."""
    while stream.read(1 << 12):
        pass
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(ABANDONED_SECONDS)
    os._exit(1)


def main() -> int:
    """Do the task that stands in the first line of the input; failures are messages too."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # What anybody prints goes nowhere; messages have the output to themselves.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    lock = threading.Lock()

    def say(message: Mapping[str, Any]) -> None:
        with lock:
            output.write(json_text(message) + "\n")
            output.flush()

    try:
        task = json.loads(sys.stdin.readline())
        threading.Thread(target=_end_with_the_server, args=[sys.stdin], daemon=True).start()
        TASKS[task["task"]](task, say)
    except ChordlearnError as error:
        say({"failure": str(error)})
        return 2
    except KeyboardInterrupt:
        say({"failure": "Stopped before there was a network."})
        return 130
    except MemoryError:
        say({"failure": "The memory does not suffice; leave out columns, or give fewer rows."})
        return 2
    except Exception as error:
        kind = type(error).__name__
        say({"failure": f"An unexpected failure ({kind}: {error}), which is a defect; please report it."})
        return 4
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # Threads that still compute are of no use to anybody.
    os._exit(code)
