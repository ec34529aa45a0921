"""A judge behind an endpoint: every text ends with an answer, a refusal or a reason."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scorer import boards as boards_module
from scorer.cli import main
from scorer.commands.judge import EXAMPLE
from scorer.core.errors import NotMeasured, UsageError
from scorer.core.records import TextPair
from scorer.lab.training import counts
from scorer.metrics.judged import ea, seca
from scorer.models import endpoint
from scorer.models import judge_card as cards
from scorer.models.endpoint import LONGEST_TEXT
from scorer.models.known import REFUSED, Machine
from scorer.models.registry import Models
from scorer.pipeline.hidden.scoring import HiddenScoring
from scorer.scoring.judging import Judges, KnownJudge
from scorer.scoring.results.reproduce import commands
from tests import case_files
from tests.conftest import ROOT
from tests.loopback import JudgeServer, Reply, Request, completion, serving
from tests.training_data import made_up_data

pytest.importorskip("httpx2")
from scorer.models import endpoint_judge
from tests.values import made_result, metric_value

BEARER = "loopback-0123456789-bearer"
KEYS = ("WHYBOARD_SECA_KEY", "WHYBOARD_EA_KEY")
PAIR = TextPair("cats are good pets", "(cats; is a; pets)")
CHAIN = (("cats", "capable of", "purr"), ("purr", "at location", "home"),
         ("home", "used for", "pets"))
URL = "https://judge.example/v1"


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Short pauses between tries, and no key."""
    monkeypatch.setattr(endpoint_judge, "FIRST_WAIT", 0.01)
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


def described(folder: Path, url: str = URL, *more: str) -> str:
    """The source of an endpoint whose file says this."""
    (folder / "judge.yaml").write_text("\n".join((f"url: {url}", "model: a/Model-1", *more)))
    return f"endpoint:{folder / 'judge.yaml'}"


def judge(folder: Path, server: JudgeServer, *more: str, of: str = "seca", **options: Any) -> Any:
    return Models({of: described(folder, server.url, *more)}, **options)(of)


def reason(judge: Any, *pairs: TextPair) -> str:
    """Why a judge has no probabilities."""
    with pytest.raises(NotMeasured) as fault:
        judge.probabilities(pairs or [PAIR])
    return str(fault.value)


def holds_the_key(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*")
            if path.is_file() and BEARER.encode() in path.read_bytes()]


# ---- answers -------------------------------------------------------------------------------


def test_the_label_that_the_model_says_has_probability_1(tmp_path):
    with serving(completion(" Counter.\n")) as server:
        assert judge(tmp_path, server).probabilities([PAIR]).tolist() == [[0, 1, 0]]
    [request] = server.requests
    assert request.path == "/v1/chat/completions"
    assert (request.document["model"], request.document["temperature"]) == ("a/Model-1", 0)
    assert "Authorization" not in request.headers
    assert request.user == "Belief: cats are good pets\nGraph: (cats; is a; pets)"


def test_a_prompt_is_data_and_texts_are_put_into_it_once(tmp_path):
    pair = TextPair("{explanation} {0}", "x" * 9000 + "{belief}")
    with serving(completion("support")) as server:
        judge(tmp_path, server, "request: {max_tokens: 3, seed: 5, stop: [a, 'b c'], x: {y: true}}",
              "prompt:", "  user: '{explanation} of {belief}?'").probabilities([pair])
    assert server.requests[0].document == {
        "model": "a/Model-1", "max_tokens": 3, "seed": 5, "stop": ["a", "b c"], "x": {"y": True},
        "messages": [{"role": "user",
                      "content": "x" * LONGEST_TEXT + " of {explanation} {0}?"}]}


def test_probabilities_are_the_shares_of_labels_among_the_first_tokens(tmp_path):
    # support .5 + .1 (it begins with "sup"), counter .2, incorrect .1; the rest is no label
    tops = {"support": .5, " sup": .1, "Counter": .2, "in": .1, "the": .05, "": .02}
    logs = {token: float(np.log(p)) for token, p in tops.items()}
    with serving(completion("support", logs)) as server:
        [row] = judge(tmp_path, server, "logprobs: yes").probabilities([PAIR])
    assert row == pytest.approx([.6 / .9, .2 / .9, .1 / .9], abs=1e-6)
    assert server.requests[0].document["top_logprobs"] == 10


REFUSALS = {
    "a sentence": completion("I would say support."), "null": completion(None),
    "too long": completion("support" * 50_000),
    "a refusal beside a label": completion("support", refusal="no"),
    "a filter": Reply(b'{"choices": [{"finish_reason": "content_filter", "message": '
                      b'{"content": "support"}}]}'),
    "a filter of the request": Reply(b'{"error": {"code": "content_filter"}}', 400)}


@pytest.mark.claim("An item that a judge behind an endpoint refuses counts 0, and is counted.")
@pytest.mark.parametrize("reply", REFUSALS.values(), ids=REFUSALS)
def test_an_item_that_the_judge_refuses_counts_0_flagged(reply, tmp_path):
    with serving(reply) as server:
        asked = judge(tmp_path, server)
        scores = seca([("b", CHAIN, label) for label in asked.labels], judge=asked)
        assert [(score.value, score.flag) for score in scores] == [(0, REFUSED)] * 3
    assert len(server.requests) == 1  # a refusal is an answer, and remembered


def test_a_graph_of_which_one_text_is_refused_counts_0_in_ea(tmp_path):
    def answer(_, number):
        return completion("Sorry" if number == 2 else "support", {"support": -.1, "counter": -3.})

    with serving(answer) as server:
        [score] = ea([("b", "a", CHAIN, "support")], judge=judge(
            tmp_path, server, "logprobs: yes", "at_once: 1", of="ea"))
        assert (score.value, score.parts, score.flag) == (0, {"decided": 0}, REFUSED)
        assert len(server.requests) == 1 + len(CHAIN)
        with pytest.raises(NotMeasured, match="write logprobs: yes into its file if the server"):
            judge(tmp_path, server, of="ea")


# ---- servers that misbehave -----------------------------------------------------------------

GOOD = completion("incorrect")
FAULTS = {
    "busy": (Reply(b"{}", 429, {"Retry-After": "0.02"}), "status 429"),
    "broken": (Reply(b"oops", 500), "status 500"),
    "cut": (GOOD._replace(promised=5000), "the connection failed: RemoteProtocolError"),
    "no JSON": (Reply(b'{"choices": ['), "its answer is no completion"),
    "nested": (Reply(b"[" * 900_000), "its answer is no completion"),
    "a page": (Reply(GOOD.body, headers={"Content-Type": "text/html"}), "is no completion"),
    "another JSON": (Reply(b'{"choices": "support"}'), "its answer is no completion"),
    "a list for a text": (completion(["support"]), "its answer is no completion"),
    "10 MB": (Reply(b" " * 10_000_000 + GOOD.body), "its answer is too long"),
    "silence": (GOOD._replace(pause=3600), "it took too long"),
    "drops": (GOOD._replace(drip=60), "it took too long")}


@pytest.mark.parametrize("fault", ["busy", "cut", "another JSON"])
def test_a_fault_that_passes_changes_nothing(fault, tmp_path):
    with serving(lambda _, number: GOOD if number else FAULTS[fault][0]) as server:
        assert judge(tmp_path, server).probabilities([PAIR]).tolist() == [[0, 0, 1]]
    assert len(server.requests) == 2


@pytest.mark.claim("A server that fails gives no half column: SeCA is null, with the reason.")
@pytest.mark.parametrize(("fault", "words"), FAULTS.values(), ids=FAULTS)
@pytest.mark.slow
def test_a_fault_that_stays_is_a_reason(fault, words, tmp_path, monkeypatch):
    slow = bool(fault.pause or fault.drip)
    monkeypatch.setattr(endpoint_judge, "TRIES", 1 if slow else 2)
    with serving(fault) as server:
        asked = judge(tmp_path, server, *(["seconds: 1"] if slow else []))
        said = reason(asked)
        assert f"no answer after {'1 request' if slow else '2 requests'} (" in said
        assert words in said


NO_LOGPROBS = [None, {"the": -0.1}, {"support": "high"}, {"support": float("nan")},
               {"support": 3.0}, {"support": True}, {"support": 10**400},
               {"support": 0.0, "counter": 0.0}]


@pytest.mark.parametrize(("reply", "words"), [
    (Reply(b"{}", 401), "its server refuses us (status 401); set WHYBOARD_SECA_KEY"),
    (Reply(b"{}", 404), "its server does not understand the request (status 404)"),
    (Reply(b"", 204), "its server does not understand the request (status 204)"),
    (Reply(b"{}", 503, {"Retry-After": "86400"}), "no answer after 1 request (status 503)"),
    *((completion("support", logs), "its server gives no logprobs of its labels")
      for logs in NO_LOGPROBS)])
def test_what_no_further_try_can_mend_is_asked_once(reply, words, tmp_path):
    with serving(reply) as server:
        assert words in reason(judge(tmp_path, server, "logprobs: yes"))
    assert len(server.requests) == 1


@pytest.mark.parametrize(("reply", "most"), [
    (Reply(b"oops", 500), 4 * endpoint_judge.TRIES), (Reply(b"{}", 401), 4)])
def test_of_400_texts_a_server_that_fails_is_asked_about_no_more_than_stand_in_line(
    reply, most, tmp_path
):
    pairs = [TextPair("b", str(number)) for number in range(400)]
    with serving(reply) as server:
        asked = judge(tmp_path, server)
        reason(asked, *pairs)
        first = len(server.requests)
        reason(asked, *pairs)
    assert 1 <= first <= most  # four requests at a time, and none after a fault
    assert len(server.requests) <= first + 4, "the next submission asks once"


def test_nobody_there_is_a_reason(tmp_path):
    with serving(GOOD) as server:
        pass
    assert ("no answer after 5 requests (the connection failed: ConnectError)"
            in reason(judge(tmp_path, server)))


def test_a_text_that_the_server_cannot_read_stops_no_other(tmp_path):
    with serving(lambda request, _: Reply(b"{}", 413) if "bad" in request.user else GOOD) as server:
        asked = judge(tmp_path, server)
        assert "status 413" in reason(asked, PAIR, TextPair("bad", "text"))
        assert asked.probabilities([TextPair("good", "text")]).any()


def test_a_run_makes_no_more_requests_than_its_file_allows(tmp_path):
    pairs = [TextPair("b", str(number)) for number in range(9)]
    with serving(GOOD) as server:
        first, again = (judge(tmp_path, server, "most_requests: 6", cache=tmp_path / "c.sqlite")
                        for _ in range(2))
        words = "this run made 6 requests, the most that its file allows"
        assert words in reason(first, *pairs)
        assert len(server.requests) == 6
        assert again.probabilities(pairs).shape == (9, 3)
    assert len({request.user for request in server.requests}) == len(server.requests) == 9


# ---- the key --------------------------------------------------------------------------------


@pytest.mark.claim("The key of a judge's endpoint follows no redirect to another host.")
def test_a_redirect_is_not_followed_and_the_key_stays(tmp_path, monkeypatch):
    monkeypatch.setenv("WHYBOARD_SECA_KEY", BEARER)
    with serving(GOOD) as other, serving(
            Reply(b"{}", 307, {"Location": f"{other.url}/chat/completions"})) as server:
        assert "its server redirects (status 307)" in reason(judge(tmp_path, server))
    assert [asked.headers["Authorization"] for asked in server.requests] == [f"Bearer {BEARER}"]
    assert not other.requests


@pytest.mark.parametrize(("key", "url", "words"), [
    (BEARER, "http://judge.example/v1", "would travel in clear text"),
    (f"{BEARER}\r\nX: y", URL, "^WHYBOARD_SECA_KEY holds characters that no key has$")])
def test_a_key_that_cannot_be_sent_safely_is_not_shown(key, url, words, tmp_path, monkeypatch):
    monkeypatch.setenv("WHYBOARD_SECA_KEY", key)
    with pytest.raises(NotMeasured, match=words) as fault:
        Models({"seca": described(tmp_path, url)})("seca")
    assert BEARER not in str(fault.value)


# ---- files ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("lines", "words"), case_files.read("endpoints.yaml"))
def test_faults_of_a_file_are_reported_with_their_place(lines, words, tmp_path):
    (tmp_path / "j.yaml").write_text(lines)
    with pytest.raises(UsageError, match=r"j\.yaml:[0-9]+:[0-9]+ META-") as fault:
        Models({"seca": f"endpoint:{tmp_path / 'j.yaml'}"})
    assert words in str(fault.value)
    assert BEARER not in str(fault.value)


def test_only_judges_are_behind_endpoints_and_only_of_files_that_are_there(tmp_path):
    with pytest.raises(UsageError, match="only judges can: seca, ea"):
        Models({"minilm-l6": "endpoint:x.yaml"})
    with pytest.raises(UsageError, match="the file cannot be read"):
        Models({"seca": f"endpoint:{tmp_path / 'none.yaml'}"})


# ---- signatures -----------------------------------------------------------------------------


@pytest.mark.claim("Address, model, prompt and request of an endpoint decide its signature.")
def test_whatever_may_change_an_answer_changes_the_signature(tmp_path):
    def tag(*file: str) -> str:
        return Models({"seca": described(tmp_path, *file)}).tag("seca")

    plain = tag(URL)
    assert plain.startswith("judge:seca-endpoint-a_model_1-")
    others = [
        tag("http://judge.example/v1"), tag("https://judge2.example/v1"), tag(f"{URL}/x"),
        tag("https://judge.example:8443/v1"), tag(URL, "revision: int8"),
        tag(URL, "request: {temperature: 1}"), tag(URL, "logprobs: yes"),
        tag(URL, "prompt: {user: '{belief} {explanation}'}"),
        tag(URL, "prompt: {user: '{belief} {explanation}', system: x}")]
    assert len({plain, *others}) == 1 + len(others)
    same = [tag(f"{URL}/"), tag("https://JUDGE.example/v1"),
            tag(URL, "at_once: 9", "seconds: 5", "most_requests: 7")]
    assert {*same} == {plain}


def test_a_signature_and_whether_one_fits_need_no_network(tmp_path, monkeypatch):
    monkeypatch.setattr(endpoint_judge.httpx2, "AsyncClient", None)
    models = Models({"seca": described(tmp_path)}, allowed=False)
    tag = models.tag("seca")
    assert models.fits("seca", tag)
    assert not models.fits("seca", f"{tag[:-1]}x")
    assert not models.fits("seca", Models().tag("seca"))
    with pytest.raises(NotMeasured, match="was not asked for"):
        models("seca")


# ---- the whole way, and killed ---------------------------------------------------------------

@pytest.fixture
def program(monkeypatch, capsys):
    """The program in this process, with a key: how it ends, and its output and errors."""
    def run(*arguments):
        words = [*map(str, arguments)]
        monkeypatch.setattr(sys, "argv", ["scorer", *words])
        for name in KEYS:
            monkeypatch.setenv(name, BEARER)
        capsys.readouterr()
        return (main(words), *capsys.readouterr())

    return run


BOARD = "explagraphs-practice"
GOLD = ROOT / "submissions" / BOARD / "reference" / "gold"


@pytest.fixture
def boards(tmp_path):
    """The practice board with the judges' columns."""
    copy = shutil.copytree(ROOT / "boards" / BOARD, tmp_path / "boards" / BOARD)
    about = (copy / "board.yaml").read_text()
    (copy / "board.yaml").write_text(about.replace("  - StCA\n", "  - StCA\n  - SeCA\n  - EA\n"))
    return copy.parent


def by_sight(request: Request, _: int) -> Reply:
    """Counter where a relation is negated, else support; no word on beliefs with an "f"."""
    belief, _, graph = request.user.partition("\n")
    return completion(None if "f" in belief[8:] else "counter" if " not " in graph else "support")


def score(boards: Path, source: str, *more: object) -> list[object]:
    return ["score", GOLD / "predictions.dev.tsv", "--board", BOARD, "--boards", boards, "--split",
            "dev", "--metrics", "SA,StCA,SeCA", "--model", f"seca={source}", "--home",
            boards.parent / "home", "--no-null", *more]


@pytest.mark.slow
def test_scoring_by_an_endpoint_gives_what_its_answers_are_worth(boards, tmp_path, program):
    with serving(by_sight) as server:
        code, out, err = program(*score(boards, described(tmp_path, server.url), "--json",
                                        tmp_path / "r.json", "--items", tmp_path / "items.tsv"))
        assert code == 0, err
        again = program(*score(boards, described(tmp_path, server.url, "at_once: 9")))
        assert again[2] == ""  # nothing was asked
    rows = [line.split("\t") for line in (boards / BOARD / "data" / "dev.tsv").read_text(
        "utf-8").splitlines()]
    answered = [row for row in rows if "f" not in row[0].lower()]
    right = sum(("counter" if " not " in graph else "support") == stance
                for _, _, stance, graph, *_ in answered)
    result = json.loads((tmp_path / "r.json").read_text())
    value = result["metrics"]["SeCA"]
    assert 0 < right < len(answered) < 40
    assert (value["value"], value["n"], value["flagged"]) == (right / 40, 40, 40 - len(answered))
    assert f"{100 * right / 40:.1f}" in out
    assert f"{40 - len(answered)} refused" in out
    assert f"seca judge: 40 requests to 127.0.0.1:{server.server_address[1]} for a/Model-1" in err
    assert result["models"]["seca"].startswith("judge:seca-endpoint-a_model_1-")
    assert len(server.requests) == 40
    assert {asked.headers["Authorization"] for asked in server.requests} == {f"Bearer {BEARER}"}
    assert BEARER not in out + err
    assert [*tmp_path.rglob("*.sqlite")]
    assert not holds_the_key(tmp_path)


@pytest.mark.slow
def test_a_server_that_repeats_the_key_puts_it_nowhere(boards, tmp_path, program):
    echo = json.dumps({"error": {"message": f"bad key {BEARER}", "code": BEARER}}).encode()
    with serving(Reply(echo, 401)) as server:
        source = described(tmp_path, server.url)
        _, *scored = program(*score(boards, source, "--json", tmp_path / "r.json"))
        _, *shown = program("judge", "prompt", "seca", "--judge", source, "--ask")
    value = json.loads((tmp_path / "r.json").read_text())["metrics"]["SeCA"]
    assert value["value"] is None
    assert value["reason"].startswith("judge seca: its server refuses the key of WHYBOARD_SECA_KEY")
    assert "bad key (the key)" in shown[0]
    assert EXAMPLE[0] in shown[0]
    assert BEARER not in "".join([*scored, *shown])
    assert not holds_the_key(tmp_path)


def test_a_prompt_is_shown_and_tried_before_anything_is_scored(tmp_path, program):
    with serving(completion("Counter!")) as server:
        source = described(tmp_path, server.url)
        code, shown, _ = program("judge", "prompt", "seca", "--judge", source)
        assert code == 0
        assert not server.requests
        tag, digest, body = shown.split("\n", 2)
        assert tag == Models({"seca": source}).tag("seca")
        assert digest.removeprefix("digest ").startswith(tag[-12:])
        code, tried, _ = program("judge", "prompt", "seca", "--judge", source, "--ask")
        assert code == 0
    assert [request.document for request in server.requests] == [json.loads(body)]
    answer, shares, *_ = tried.removeprefix(shown).splitlines()
    assert json.loads(answer)["choices"][0]["message"]["content"] == "Counter!"
    assert shares == "support 0.0000, counter 1.0000, incorrect 0.0000"


@pytest.mark.claim("A run by an endpoint that was killed asks nothing again that was answered.")
@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_goes_on_where_it_was(stop, boards, tmp_path, program):
    processes = []

    def answer(request, number):
        if number < 11:
            return by_sight(request, number)
        processes[0].send_signal(stop)
        return GOOD._replace(pause=3600)  # who waits for it does not end

    with serving(answer) as server:
        words = score(boards, described(tmp_path, server.url, "at_once: 1", "seconds: 600"))
        processes.append(subprocess.Popen(
            [sys.executable, "-m", "scorer", *map(str, words)], cwd=ROOT, text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE))
        _, err = processes[0].communicate()
        if stop == signal.SIGINT:
            assert (processes[0].returncode, err.splitlines()[-1]) == (130, "stopped")
        server.answer = by_sight
        code, _, err = program(*words)
    assert code == 0
    assert "29 requests" in err
    assert "11 of 40 texts are cached" in err
    users = [request.user for request in server.requests]
    assert len({*users}) == 40 == len(users) - 1  # the twelfth had no answer


@pytest.mark.slow
def test_a_worker_process_gets_the_key_that_its_judge_needs(boards, tmp_path, program):
    folder = shutil.copytree(GOLD, tmp_path / "submissions" / BOARD / "reference" / "gold")
    with serving(by_sight) as server:
        code, _, err = program(
            "score", folder, "--boards", boards, "--home", tmp_path / "home", "--engine", "local",
            "--metrics", "SeCA", "--model", f"seca={described(tmp_path, server.url)}", "--no-null")
        assert code == 0, err
    assert {asked.headers["Authorization"] for asked in server.requests} == {f"Bearer {BEARER}"}


@pytest.mark.claim("A judge behind an endpoint has a card from the same sets, by the same gate.")
@pytest.mark.slow
def test_a_card_says_what_the_endpoint_is_and_counts_refusals_for_nothing(
    tmp_path, program, monkeypatch
):
    monkeypatch.setitem(counts.SETTINGS, "max_iter", 5)
    data, out = made_up_data(tmp_path / "data"), tmp_path / "judges" / "far"
    with serving(lambda request, _: completion(
            "No." if "is a; clean" in request.user else "support")) as server:
        source = described(tmp_path, server.url, "revision: abc")
        command = ("judge", "evaluate", "seca", "--judge", source, "--data", data, "--out", out,
                   "--home", tmp_path / "home")
        code, text, err = program(*command)
        assert code == 0, err
        assert "request" not in program(*command)[2]
    card = cards.read(out)
    asked = {request.user for request in server.requests}
    assert len(asked) == len(server.requests)
    assert err.startswith(f"seca judge: {len(asked)} requests to ")
    assert card.weights.startswith(Models({"seca": source}).tag("seca").rpartition("-")[2])
    assert (card.name, card.most_tokens) == ("far", 0)
    assert str(tmp_path) not in card.training["measured with"]
    assert "--judge endpoint:judge.yaml --data data" in card.training["measured with"]
    assert (card.base["model"], card.base["revision"]) == ("a/Model-1", "abc")
    assert card.training["note"].endswith("it may have seen the graphs it is measured on.")
    natural = card.evaluation(cards.NATURAL)
    assert {label for row in natural.confusion.values() for label in row} == {"refused"}
    assert natural.recall(cards.INCORRECT).count == 0
    assert not card.fitness.fit
    assert "not fit to rank" in text
    assert not holds_the_key(tmp_path)


def test_a_site_finds_the_card_of_an_endpoint_by_its_signature(tmp_path):
    behind = endpoint.read(described(tmp_path), "seca")
    card = cards.Card("seca", "far", behind.weights, ("support",), 0, {}, {}, {})
    value = metric_value(0.5, signature=f"SeCA|{behind.tag(behind.weights, Machine())}|board:b-1.0")
    result = made_result("b", "1.0", "t", "dev", {}, {"SeCA": value}, ())
    known = KnownJudge(card, "judges/far/")
    assert Judges((known,)).behind(result, "SeCA").known is known


def test_the_command_that_repeats_a_row_names_the_endpoints_file(tmp_path):
    tag = Models({"seca": described(tmp_path, URL, "logprobs: yes")}).tag("seca")
    result = made_result(BOARD, "1.0", "t", "dev", {}, {}, (), models={"seca": tag},
                         team="a-team", system="a-system")
    both = result.replace(models={"seca": tag, "x": "encoder:x-padded-0"})
    [one], [other] = (commands(boards_module.load(BOARD), each) for each in (result, both))
    assert one == (f"scorer score submissions/{BOARD}/a-team/a-system --results again "
                   "--model seca=endpoint:seca.yaml")
    assert other.endswith(" --models fetch --model seca=endpoint:seca.yaml --device cuda")


def test_hidden_gold_is_scored_by_no_endpoint(tmp_path):
    work = HiddenScoring(tmp_path, None, tmp_path, {"seca": described(tmp_path)})
    with pytest.raises(UsageError, match="hidden items leave this machine for no judge"):
        work.model_store()
