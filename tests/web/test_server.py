"""The server answers who opened its page and nobody else, keeps its limits, and leaves nothing behind."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import chordlearn as cl
from conftest import RunCommand
from web.serving import LIMIT, Served, served, until
from wide_tables import tangled

pytest.importorskip("starlette", reason="starlette is not installed (the extra web)")
pytest.importorskip("uvicorn", reason="uvicorn is not installed (the extra web)")


@pytest.fixture(scope="module")
def server(command: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(command, tmp_path_factory.mktemp("served")) as running:
        yield running


def wide_table(n: int = 60) -> bytes:
    """One that takes very long to prove."""
    data = tangled(n)
    header = ",".join(data.variables)
    return "\n".join([header, *(",".join(map(str, row)) for row in data.codes.tolist())]).encode()


def test_the_address_leads_to_the_page(server: Served) -> None:
    status, _, headers = server.ask("GET", f"/?token={server.token}")
    assert (status, headers["location"]) == (303, f"/{server.token}/")
    status, page, headers = server.ask("GET", "")
    assert status == 200 and b"<title>chordlearn</title>" in page
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    assert headers["referrer-policy"] == "no-referrer" and headers["x-content-type-options"] == "nosniff"
    for name in ("app.js", "app.css", "explorer.js", "style.css"):
        assert server.ask("GET", f"assets/{name}")[0] == 200
    assert set(headers) >= {"cross-origin-resource-policy", "cross-origin-opener-policy", "x-frame-options"}


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", {}),
        ("/?token=wrong", {}),
        ("/wrong/", {}),
        ("/wrong/assets/app.js", {}),
        ("/assets/app.js", {}),
        ("/{token}x/", {}),
        ("/{token}/", {"Host": "evil.example"}),
        ("/{token}/", {"Host": "127.0.0.1:1"}),
        ("/{token}/", {"Origin": "http://evil.example"}),
        ("/{token}/", {"Origin": "null"}),
        ("/{token}/events", {"Origin": "http://127.0.0.1:1"}),
        ("/{token}/assets/app.js", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}),
        ("/{token}/assets/app.js", {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"}),
    ],
)
def test_others_get_nothing(server: Served, path: str, headers: dict[str, str]) -> None:
    status, answer, sent = server.ask("GET", path.format(token=server.token), headers=headers)
    assert status == 403 and answer.keys() == {"error"} and answer["error"].endswith(".")
    assert server.token not in json.dumps(answer) + json.dumps(sent)
    assert "content-security-policy" in sent and "access-control-allow-origin" not in sent


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "words"),
    [
        ("GET", "nothing", None, 404, "nothing at this address"),
        ("GET", "assets/..%2fserver.py", None, 404, "nothing at this address"),
        ("GET", "assets/%2e%2e", None, 404, "nothing at this address"),
        ("GET", "tables", None, 405, "does not answer that"),
        ("POST", "tables?bundled=nope", {}, 404, "no bundled set"),
        ("POST", "tables/99/survey", {}, 404, "no such table"),
        ("POST", "jobs", b"{", 400, "cannot be understood"),
        ("POST", "jobs", {"table": 1, "reading": {}, "learning": {"threads": 9}}, 400, "unknown field"),
        ("POST", "jobs", {"table": 1, "reading": {"drop": 3}, "learning": {}}, 400, "cannot be understood"),
        ("POST", "jobs", b" " * 1_100_000, 413, "at most 1 MB"),
        ("POST", "jobs/99/stop", {}, 404, "no such job"),
        ("GET", "jobs/99/document", None, 404, "no such job"),
    ],
)
def test_wrong_questions_get_a_sentence(
    server: Served, method: str, path: str, body: Any, status: int, words: str
) -> None:
    found, answer, _ = server.ask(method, path, body)
    assert found == status and words in answer["error"] and answer["error"].endswith(".")


def zeros(count: int) -> Iterator[bytes]:
    block = bytes(1_000_000)
    for _ in range(count):
        yield block


@pytest.mark.parametrize("is_told", [True, False])
def test_a_table_of_200_mb_gets_a_sentence(server: Served, is_told: bool) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LIMIT)
    headers = {"Content-Length": "200000000"} if is_told else {}
    path = f"/{server.token}/tables?name=large.csv"
    connection.request("POST", path, zeros(200), headers, encode_chunked=not is_told)
    answer = connection.getresponse()
    sentence = json.loads(answer.read())["error"]
    connection.close()
    assert answer.status == 413 and "up to 100 MB" in sentence and "chordlearn serve FILE" in sentence
    assert not list(server.temporary.rglob("large.csv"))


def test_what_a_table_is_and_what_stands_against_it(server: Served) -> None:
    table = server.give("a%20table.csv", b"id,x\n" + b"".join(b"p%d,%d\n" % (i, i % 2) for i in range(60)))
    status, found, _ = server.ask("POST", f"tables/{table}/survey", {})
    assert status == 200 and found["survey"]["options"] == {"drop": ["id"]}
    status, found, _ = server.ask("POST", f"tables/{table}/survey", {"drop": ["nope"]})
    assert status == 400 and "nope" in found["error"]
    number = server.learn(table)
    assert server.wait_for(number, "failed", "done")["state"] == "failed"


def test_gaps_are_learned_from(server: Served) -> None:
    rows = b"".join(b"%s,%d\n" % (b"" if i % 9 == 0 else b"%d" % (i % 2), i % 4 // 2) for i in range(80))
    number = server.learn(server.give("gaps.csv", b"a,b\n" + rows), reading={"missing": "em"})
    done = server.wait_for(number, "failed", "done")
    assert done["result"]["words"].startswith("a local optimum of EM") and not done["can_go_on"]


def test_a_module_beside_the_table_is_not_loaded(server: Served) -> None:
    """Python would look for modules in the folder of the table."""
    for name in ("polars.py", "json.py", "chordlearn.py"):
        table = server.give(name, b"no_name_of_python,b\n" + b"1,2\n2,1\n" * 9)
        status, found, _ = server.ask("POST", f"tables/{table}/survey", {})
        assert (status, found["survey"]["rows"]) == (200, 18), found


def test_twenty_jobs_at_once_get_a_sentence(server: Served) -> None:
    table = server.give("wide.csv", wide_table())
    asked = {"table": table, "reading": {}, "learning": {}}
    answers = [server.ask("POST", "jobs", asked) for _ in range(20)]
    refused = [answer for status, answer, _ in answers if status == 429]
    accepted = [answer["job"] for status, answer, _ in answers if status == 200]
    assert len(accepted) == 10 and len(refused) == 10
    assert all("jobs are waiting or running already" in answer["error"] for answer in refused)
    states = [server.job(number)["state"] for number in accepted]
    assert states.count("running") == 1 and states.count("waiting") == 9
    for number in reversed(accepted):
        # Those that wait end at once; the one that runs is asked twice, which ends it.
        assert server.ask("POST", f"jobs/{number}/stop")[0] == 200
    server.ask("POST", f"jobs/{accepted[0]}/stop")
    until(lambda: all(server.job(n)["state"] in ("cancelled", "done", "failed") for n in accepted))
    until(lambda: not server.workers())


def test_a_crash_costs_one_job(server: Served) -> None:
    first = server.learn(server.give("wide.csv", wide_table()))
    until(server.workers)
    for number in server.workers():
        os.kill(number, signal.SIGKILL)
    assert server.wait_for(first, "failed")["result"] is None
    heart = server.ask("POST", "tables?bundled=heart")[1]["table"]
    done = server.wait_for(server.learn(heart), "done", "failed")
    assert done["result"]["status"] == "optimal"
    assert done["result"]["score"] == pytest.approx(cl.learn("heart").score)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_behind(command: str, tmp_path: Path, number: signal.Signals) -> None:
    with served(command, tmp_path) as running:
        running.learn(running.give("wide.csv", wide_table()))
        until(running.workers)
        assert list(running.temporary.iterdir())
        running.process.send_signal(number)
        out, err = running.process.communicate(timeout=LIMIT)
    assert (running.process.returncode, out, err) == (0, "", "")
    assert list(running.temporary.iterdir()) == []
    assert running.workers() == []


def test_no_process_outlives_a_server_that_was_killed(command: str, tmp_path: Path) -> None:
    with served(command, tmp_path) as running:
        running.learn(running.give("wide.csv", wide_table()))
        until(running.workers)
        running.process.kill()
        until(lambda: not running.workers())


def test_another_address_is_warned_of(command: str, tmp_path: Path) -> None:
    with served(command, tmp_path, "--host", "0.0.0.0") as running:
        assert running.ask("GET", "", headers={"Host": "some.machine:99"})[0] == 200
        assert running.ask("GET", "/wrong/")[0] == 403
        running.process.send_signal(signal.SIGTERM)
        _, err = running.process.communicate(timeout=LIMIT)
    assert "can be reached from other machines" in err


def test_calls_that_cannot_be_served(run: RunCommand, server: Served) -> None:
    for arguments, words in {
        ("--port", str(server.port)): "choose another --port",
        ("--port", "70000"): "is no port",
        ("--host", "nowhere"): "is no address",
        ("missing.csv",): "check the path",
    }.items():
        done = run("serve", "--no-browser", *arguments, timeout=LIMIT)
        assert done.returncode == 2 and words in done.stderr and done.stdout == ""


def test_without_the_extra(call: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = call("serve")
    assert done.returncode == 4 and "pip install 'chordlearn[web]'" in done.stderr


def test_a_file_is_read_where_it_lies(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my table.csv").write_text("a,b\n" + "0,0\n1,1\n" * 20)
    with served(command, tmp_path, "my table.csv") as running:
        assert [one["name"] for one in running.state()["tables"]] == ["my table.csv"]
        done = running.wait_for(running.learn(1), "done", "failed")
        assert done["result"]["command"].startswith("chordlearn learn 'my table.csv' ")
        again = subprocess.run(
            [command, "learn", "my table.csv", "--json", "-"],
            cwd=tmp_path,
            capture_output=True,
            timeout=LIMIT,
            check=True,
        )
        assert json.loads(again.stdout)["score"] == done["result"]["score"]
        names: dict[str, Any] = {}
        monkeypatch.chdir(tmp_path)
        exec(done["result"]["python"], names)
        assert names["result"].score == done["result"]["score"]
