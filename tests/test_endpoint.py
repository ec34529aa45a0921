"""A judge behind an endpoint: every text ends with an answer, a refusal or a reason."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scorer import boards as boards_module
from scorer.boards.submission import Meta
from scorer.cli import main
from scorer.commands.judge import EXAMPLE
from scorer.core.errors import NotMeasured, UsageError
from scorer.core.reading import schema
from scorer.core.records import TextPair
from scorer.lab.training import counts
from scorer.metrics.ea import ea
from scorer.metrics.seca import seca
from scorer.models import judge_card as cards
from scorer.models.endpoint import LONGEST_TEXT
from scorer.models.known import REFUSED
from scorer.models.registry import Models
from scorer.pipeline.ci.gold import model_options
from scorer.pipeline.hidden.scoring import HiddenScoring
from scorer.scoring.judging import Judges, KnownJudge
from scorer.scoring.results.reproduce import commands
from tests.conftest import ROOT
from tests.loopback import JudgeServer, Reply, Request, completion, serving
from tests.training_data import made_up_data

pytest.importorskip("httpx2")
from scorer.models import endpoint_judge
from tests.values import made_result, metric_value

BEARER = "loopback-0123456789-bearer"
PAIR = TextPair("cats are good pets", "(cats; is a; pets)")
CHAIN = (("cats", "capable of", "purr"), ("purr", "at location", "home"),
         ("home", "used for", "pets"))


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint_judge, "FIRST_WAIT", 0.01)
    for name in ("WHYBOARD_SECA_KEY", "WHYBOARD_EA_KEY"):
        monkeypatch.delenv(name, raising=False)


def described(folder: Path, url: str, *more: str, name: str = "judge.yaml") -> str:
    """The source of an endpoint whose file says this."""
    lines = [f"url: {url}", "model: a/Model-1", *more]
    (folder / name).write_text("".join(f"{line}\n" for line in lines))
    return f"endpoint:{folder / name}"


def judge(folder: Path, server: JudgeServer, *more: str, of: str = "seca", **options: Any) -> Any:
    return Models({of: described(folder, server.url, *more)}, **options)(of)


def reason(asked: Any, pairs: Any = (PAIR,)) -> str:
    with pytest.raises(NotMeasured) as fault:
        asked.probabilities(list(pairs))
    return str(fault.value)


# ---- answers -------------------------------------------------------------------------------


def test_the_label_that_the_model_says_has_probability_1(tmp_path: Path) -> None:
    with serving(completion(" Counter.\n")) as server:
        assert judge(tmp_path, server).probabilities([PAIR]).tolist() == [[0, 1, 0]]
    [asked] = server.requests
    assert asked.path == "/v1/chat/completions"
    assert (asked.document["model"], asked.document["temperature"]) == ("a/Model-1", 0)
    assert "Authorization" not in asked.headers
    assert asked.user == "Belief: cats are good pets\nGraph: (cats; is a; pets)"


def test_a_prompt_is_data_and_texts_are_put_into_it_once(tmp_path: Path) -> None:
    pair = TextPair("{explanation} {0}", "x" * 9000 + "{belief}")
    with serving(completion("support")) as server:
        judge(tmp_path, server, "request: {max_tokens: 3, seed: 5, stop: [a, 'b c'], x: {y: true}}",
              "prompt:", "  user: '{explanation} of {belief}?'").probabilities([pair])
    [asked] = server.requests
    assert asked.document == {
        "model": "a/Model-1", "max_tokens": 3, "seed": 5, "stop": ["a", "b c"], "x": {"y": True},
        "messages": [{"role": "user",
                      "content": "x" * LONGEST_TEXT + " of {explanation} {0}?"}]}


def test_probabilities_are_the_shares_of_labels_among_the_first_tokens(tmp_path: Path) -> None:
    # support .5 + .1 (it begins with "sup"), counter .2, incorrect .1; the rest is no label
    tops = {"support": .5, " sup": .1, "Counter": .2, "in": .1, "the": .05, "": .02}
    logs = {token: float(np.log(p)) for token, p in tops.items()}
    with serving(completion("support", logs)) as server:
        [row] = judge(tmp_path, server, "logprobs: yes").probabilities([PAIR])
    assert row == pytest.approx([.6 / .9, .2 / .9, .1 / .9], abs=1e-6)
    assert server.requests[0].document["top_logprobs"] == 10


@pytest.mark.parametrize("logs", [
    None, {}, {"the": -0.1}, {"support": "high"}, {"support": None}, {"support": float("nan")},
    {"support": 3.0}, {"support": True}, {"support": [1]}, {"support": 10**400},
    {"support": 0.0, "counter": 0.0}])
def test_logprobs_that_are_none_are_a_reason_and_no_number(
    logs: Mapping[str, Any] | None, tmp_path: Path
) -> None:
    with serving(completion("support", logs)) as server:
        asked = judge(tmp_path, server, "logprobs: yes")
        assert "its server gives no logprobs of its labels" in reason(asked)
    assert len(server.requests) == 1


REFUSALS = {
    "a sentence": completion("I would say support."), "another language": completion("stütze"),
    "nothing": completion(""), "null": completion(None), "too long": completion("support" * 50_000),
    "two labels": completion("support counter"), "a refusal": completion(None, refusal="no"),
    "a refusal beside a label": completion("support", refusal="no"),
    "a filter": Reply(b'{"choices": [{"finish_reason": "content_filter", "message": '
                      b'{"content": "support"}}]}'),
    "a filter of the request": Reply(b'{"error": {"code": "content_filter"}}', 400)}


@pytest.mark.claim("An item that a judge behind an endpoint refuses counts 0, and is counted.")
@pytest.mark.parametrize("reply", REFUSALS.values(), ids=REFUSALS)
def test_an_item_that_the_judge_refuses_counts_0_flagged(reply: Reply, tmp_path: Path) -> None:
    with serving(reply) as server:
        asked = judge(tmp_path, server)
        for label in asked.labels:
            [score] = seca([("b", CHAIN, label)], judge=asked)
            assert (score.value, score.flag) == (0, REFUSED)
    assert len(server.requests) == 1  # a refusal is an answer, and remembered


def test_a_graph_of_which_one_text_is_refused_counts_0_in_ea(tmp_path: Path) -> None:
    def answer(asked: Request, number: int) -> Reply:
        return completion("Sorry" if number == 2 else "support", {"support": -.1, "counter": -3.})

    with serving(answer) as server:
        [score] = ea([("b", "a", CHAIN, "support")], judge=judge(
            tmp_path, server, "logprobs: yes", "at_once: 1", of="ea"))
    assert (score.value, score.parts, score.flag) == (0, {"decided": 0}, REFUSED)
    assert len(server.requests) == 1 + len(CHAIN)


def test_without_logprobs_ea_is_not_measured(tmp_path: Path) -> None:
    with serving(completion("support")) as server, pytest.raises(
            NotMeasured, match="write logprobs: yes into its file if the server gives them"):
        judge(tmp_path, server, of="ea")
    assert not server.requests


# ---- servers that misbehave -----------------------------------------------------------------

GOOD = completion("incorrect")
FAULTS = {
    "busy": (Reply(b"{}", 429, {"Retry-After": "0.02"}), "status 429"),
    "broken": (Reply(b"oops", 500), "status 500"),
    "cut": (GOOD._replace(promised=5000), "its answer was cut"),
    "no JSON": (Reply(b'{"choices": ['), "its answer is no completion"),
    "nested": (Reply(b"[" * 900_000), "its answer is no completion"),
    "a page": (Reply(GOOD.body, headers={"Content-Type": "text/html"}), "is no completion"),
    "another JSON": (Reply(b'{"choices": "support"}'), "its answer is no completion"),
    "a list for a text": (completion(["support"]), "its answer is no completion"),
    "10 MB": (Reply(b" " * 10_000_000 + GOOD.body), "its answer is too long"),
    "silence": (GOOD._replace(pause=3600), "it took too long"),
    "drops": (GOOD._replace(drip=60), "it took too long"),
}


def patience(fault: Reply) -> list[str]:
    """What a file says of a fault that takes long."""
    return ["seconds: 1"] if fault.pause or fault.drip else []


@pytest.mark.parametrize(("fault", "_said"), FAULTS.values(), ids=FAULTS)
def test_a_fault_that_passes_changes_nothing(fault: Reply, _said: str, tmp_path: Path) -> None:
    with serving(lambda _, number: GOOD if number else fault) as server:
        asked = judge(tmp_path, server, *patience(fault))
        assert asked.probabilities([PAIR]).tolist() == [[0, 0, 1]]
    assert len(server.requests) == 2 or patience(fault)  # a busy machine may need a try more


@pytest.mark.claim("A server that fails gives no half column: SeCA is null, with the reason.")
@pytest.mark.parametrize(("fault", "said"), FAULTS.values(), ids=FAULTS)
@pytest.mark.slow
def test_a_fault_that_stays_is_a_reason(
    fault: Reply, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint_judge, "TRIES", 2)
    with serving(fault) as server:
        asked = judge(tmp_path, server, *patience(fault))
        assert said in reason(asked)
        if not patience(fault):
            assert "after 2 tries" in reason_again(asked, server)


def reason_again(asked: Any, server: JudgeServer) -> str:
    """The reason of another text, which is tried once, and then of one after a good answer."""
    before = len(server.requests)
    assert "after 1 try" in reason(asked, [TextPair("another", "text")])
    assert len(server.requests) == before + 1 == 3
    kept, server.answer = server.answer, lambda *_: GOOD
    asked.probabilities([TextPair("a third", "text")])
    server.answer = kept
    return reason(asked)


@pytest.mark.parametrize(("reply", "said"), [
    (Reply(b"{}", 401), "its server refuses us (status 401); set WHYBOARD_SECA_KEY"),
    (Reply(b"{}", 404), "its server does not understand the request (status 404)"),
    (Reply(b"{}", 400), "its server does not understand the request (status 400)"),
    (Reply(b"", 204), "its server does not understand the request (status 204)"),
    (Reply(b"{}", 503, {"Retry-After": "86400"}), "its server asks to wait 86400 s (status 503)")])
def test_what_no_further_try_can_mend_is_asked_once(
    reply: Reply, said: str, tmp_path: Path
) -> None:
    with serving(reply) as server:
        assert said in reason(judge(tmp_path, server))
    assert len(server.requests) == 1


def test_nobody_there_is_a_reason(tmp_path: Path) -> None:
    with serving(GOOD) as server:
        pass
    assert "no answer after 5 tries (connection refused)" in reason(judge(tmp_path, server))


def test_a_text_that_the_server_cannot_read_stops_no_other(tmp_path: Path) -> None:
    def answer(asked: Request, _: int) -> Reply:
        return Reply(b"{}", 413) if "bad" in asked.user else GOOD

    with serving(answer) as server:
        asked = judge(tmp_path, server)
        assert "status 413" in reason(asked, [PAIR, TextPair("bad", "text")])
        assert asked.probabilities([TextPair("good", "text")]).any()


def test_a_run_makes_no_more_requests_than_its_file_allows(tmp_path: Path) -> None:
    pairs = [TextPair("b", str(number)) for number in range(9)]
    with serving(GOOD) as server:
        first = judge(tmp_path, server, "most_requests: 6", cache=tmp_path / "c.sqlite")
        assert "this run made 6 requests, the most that its file allows" in reason(first, pairs)
        assert len(server.requests) == 6
        again = judge(tmp_path, server, "most_requests: 6", cache=tmp_path / "c.sqlite")
        assert again.probabilities(pairs).shape == (9, 3)
    assert len({asked.user for asked in server.requests}) == len(server.requests) == 9


@pytest.mark.parametrize(("text", "seconds"), [
    ("", None), ("2", 2), ("0.5", .5), ("-1", None), ("1e9", None), ("soon", None),
    ("Wed, 21 Oct 2015 07:28:00 GMT", 0), ("Fri, 99 Oct 2015", None)])
def test_how_long_to_wait_is_a_number_or_a_date(text: str, seconds: float | None) -> None:
    assert endpoint_judge.wait_of(text) == seconds


# ---- the key --------------------------------------------------------------------------------


@pytest.mark.claim("The key of a judge's endpoint follows no redirect to another host.")
def test_a_redirect_is_not_followed_and_the_key_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHYBOARD_SECA_KEY", BEARER)
    with serving(GOOD) as other, serving(
            Reply(b"{}", 307, {"Location": f"{other.url}/chat/completions"})) as server:
        assert "its server redirects (status 307)" in reason(judge(tmp_path, server))
    assert [asked.headers["Authorization"] for asked in server.requests] == [f"Bearer {BEARER}"]
    assert not other.requests


def test_a_key_that_would_travel_in_clear_text_is_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHYBOARD_SECA_KEY", BEARER)
    with pytest.raises(NotMeasured, match="would travel in clear text") as fault:
        Models({"seca": described(tmp_path, "http://judge.example/v1")})("seca")
    assert BEARER not in str(fault.value)


def test_a_key_with_a_line_end_is_not_sent_nor_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHYBOARD_SECA_KEY", f"{BEARER}\r\nX: y")
    with serving(GOOD) as server, pytest.raises(NotMeasured) as fault:
        judge(tmp_path, server)
    assert str(fault.value) == "WHYBOARD_SECA_KEY holds characters that no key has"
    assert not server.requests


# ---- files ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("lines", "said"), [
    (["model: m"], "no field 'url'"),
    (["url: ftp://h/v1", "model: m"], "url: another address; expected http:// or https://"),
    (["url: http://h:99999", "model: m"], "url: another address"),
    (["url: http://h/v1?key=x", "model: m"], "url: another address"),
    (["url: http://h/v1", "model: a b"], "model: 'a b'"),
    (["url: http://h/v1", "model: m", "key: x"], "unknown field 'key'"),
    (["url: http://h/v1", "model: m", "prompt: {user: x}"], "prompt: user: no {belief}"),
    (["url: http://h/v1", "model: m", "request: {stream: yes}"], "request: the field stream"),
    (["url: http://h/v1", "model: m", "request: x"], "request: no mapping"),
    (["url: http://h/v1", "model: m", "at_once: 900"], "at_once: '900'"),
])
def test_faults_of_a_file_are_told_with_their_place(
    lines: list[str], said: str, tmp_path: Path
) -> None:
    (tmp_path / "j.yaml").write_text("\n".join(lines))
    with pytest.raises(UsageError, match=r"j\.yaml:[0-9]+:[0-9]+ META-") as fault:
        Models({"seca": f"endpoint:{tmp_path / 'j.yaml'}"})
    assert said in str(fault.value)


def test_a_password_in_an_address_is_refused_and_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a key belongs in the environment") as fault:
        Models({"seca": described(tmp_path, f"https://user:{BEARER}@h/v1")})
    assert BEARER not in str(fault.value)


def test_only_judges_are_behind_endpoints_and_only_of_files_that_are_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="only judges can: seca, ea"):
        Models({"minilm-l6": "endpoint:x.yaml"})
    with pytest.raises(UsageError, match="the file cannot be read"):
        Models({"seca": f"endpoint:{tmp_path / 'none.yaml'}"})


# ---- signatures -----------------------------------------------------------------------------

URL = "https://judge.example/v1"


@pytest.mark.claim("Address, model, prompt and request of an endpoint decide its signature.")
def test_whatever_may_change_an_answer_changes_the_signature(tmp_path: Path) -> None:
    def tag(url: str = URL, *more: str, of: str = "seca") -> str:
        return Models({of: described(tmp_path, url, *more)}).tag(of)

    plain = tag()
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


def test_a_signature_and_whether_one_fits_need_no_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint_judge.httpx2, "AsyncClient", None)
    models = Models({"seca": described(tmp_path, URL)}, allowed=False)
    tag = models.tag("seca")
    assert models.fits("seca", tag)
    assert not models.fits("seca", f"{tag[:-1]}x")
    assert not models.fits("seca", Models().tag("seca"))
    with pytest.raises(NotMeasured, match="was not asked for"):
        models("seca")


# ---- killed, and the whole way ---------------------------------------------------------------


KEYS = ("WHYBOARD_SECA_KEY", "WHYBOARD_EA_KEY")


def scorer(*arguments: object, key: str = "") -> Any:
    """The program in a process of its own."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), **dict.fromkeys(KEYS, key)}
    return subprocess.Popen(
        [sys.executable, "-m", "scorer", *map(str, arguments)], cwd=ROOT, env=env, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
         ) -> Callable[..., tuple[int, str, str]]:
    """The program in this process, with a key: what it returns, and what it says."""
    def run(*arguments: object) -> tuple[int, str, str]:
        words = [*map(str, arguments)]
        monkeypatch.setattr(sys, "argv", ["scorer", *words])
        for name in KEYS:
            monkeypatch.setenv(name, BEARER)
        capsys.readouterr()
        return (main(words), *capsys.readouterr())

    return run


@pytest.fixture
def boards(tmp_path: Path) -> Path:
    """The practice board with the judges' columns."""
    folder = ROOT / "boards" / "explagraphs-practice"
    copy = tmp_path / "boards" / "explagraphs-practice"
    (copy / "data").mkdir(parents=True)
    for path in (folder / "data").iterdir():
        (copy / "data" / path.name).write_bytes(path.read_bytes())
    text = (folder / "board.yaml").read_text().replace("  - StCA\n", "  - StCA\n  - SeCA\n  - EA\n")
    (copy / "board.yaml").write_text(text)
    return copy.parent


def rows() -> Iterator[tuple[str, str, str]]:
    """Belief, stance and graph of the practice board's dev items."""
    path = ROOT / "boards" / "explagraphs-practice" / "data" / "dev.tsv"
    for line in path.read_text("utf-8").splitlines():
        belief, _, stance, graph, *_ = line.split("\t")
        yield belief, stance, graph


def by_sight(asked: Request, _: int) -> Reply:
    """Counter where a relation is negated, else support; no word on beliefs with an "f"."""
    belief, _, graph = asked.user.partition("\n")
    return completion(None if "f" in belief[8:] else "counter" if " not " in graph else "support")


def score(boards: Path, source: str, *more: object) -> list[object]:
    gold = ROOT / "submissions/explagraphs-practice/reference/gold/predictions.dev.tsv"
    return ["score", gold, "--board", "explagraphs-practice", "--boards", boards, "--split", "dev",
            "--metrics", "SA,StCA,SeCA", "--model", f"seca={source}", "--home",
            boards.parent / "home", "--no-null", *more]


@pytest.mark.slow
def test_scoring_by_an_endpoint_gives_what_its_answers_are_worth(
    boards: Path, tmp_path: Path, here: Callable[..., tuple[int, str, str]]
) -> None:
    with serving(by_sight) as server:
        code, out, told = here(*score(boards, described(tmp_path, server.url), "--json",
                                      tmp_path / "r.json", "--items", tmp_path / "items.tsv"))
        assert code == 0, told
        again = here(*score(boards, described(tmp_path, server.url, "at_once: 9")))
        assert again[2] == ""  # nothing was asked
    refused = {n for n, (belief, _, _) in enumerate(rows()) if "f" in belief.lower()}
    right = sum(("counter" if " not " in graph else "support") == stance
                for n, (_, stance, graph) in enumerate(rows()) if n not in refused)
    found = json.loads((tmp_path / "r.json").read_text())
    value = found["metrics"]["SeCA"]
    assert 0 < right < 40 - len(refused) < 40
    assert (value["value"], value["n"], value["flagged"]) == (right / 40, 40, len(refused))
    assert f"{100 * right / 40:.1f}" in out
    assert f"{len(refused)} refused" in out
    assert f"seca judge: 40 requests to 127.0.0.1:{server.server_address[1]} for a/Model-1" in told
    assert found["models"]["seca"].startswith("judge:seca-endpoint-a_model_1-")
    assert len(server.requests) == 40
    assert {asked.headers["Authorization"] for asked in server.requests} == {f"Bearer {BEARER}"}
    assert BEARER not in out + told
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.suffix == ".sqlite" for path in files)
    assert not [path for path in files if BEARER.encode() in path.read_bytes()]


@pytest.mark.slow
def test_a_server_that_repeats_the_key_puts_it_nowhere(
    boards: Path, tmp_path: Path, here: Callable[..., tuple[int, str, str]]
) -> None:
    echo = Reply(json.dumps({"error": {"message": f"bad key {BEARER}", "code": BEARER}}).encode(),
                 401)
    with serving(echo) as server:
        source = described(tmp_path, server.url)
        _, *said = here(*score(boards, source, "--json", tmp_path / "r.json"))
        _, *shown = here("judge", "prompt", "seca", "--judge", source, "--ask")
    found = json.loads((tmp_path / "r.json").read_text())["metrics"]["SeCA"]
    assert found["value"] is None
    assert found["reason"].startswith("judge seca: its server refuses the key of WHYBOARD_SECA_KEY")
    assert "bad key (the key)" in shown[0]
    assert EXAMPLE[0] in shown[0]
    assert BEARER not in "".join([*said, *shown])
    assert not [path for path in tmp_path.rglob("*")
                if path.is_file() and BEARER.encode() in path.read_bytes()]


def test_a_prompt_is_shown_and_tried_before_anything_is_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(completion("Counter!")) as server:
        source = described(tmp_path, server.url)
        assert main(["judge", "prompt", "seca", "--judge", source]) == 0
        shown = capsys.readouterr().out
        tag, digest, body = shown.split("\n", 2)
        assert not server.requests
        assert tag == Models({"seca": source}).tag("seca")
        assert digest.removeprefix("digest ").startswith(tag[-12:])
        assert main(["judge", "prompt", "seca", "--judge", source, "--ask"]) == 0
    assert [asked.document for asked in server.requests] == [json.loads(body)]
    said = capsys.readouterr().out.removeprefix(shown).splitlines()
    assert json.loads(said[0])["choices"][0]["message"]["content"] == "Counter!"
    assert said[1] == "support 0.0000, counter 1.0000, incorrect 0.0000"


@pytest.mark.claim("A run by an endpoint that was killed asks nothing again that was answered.")
@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(
    boards: Path, tmp_path: Path, here: Callable[..., tuple[int, str, str]]
) -> None:
    processes: list[Any] = []

    def answer(asked: Request, number: int) -> Reply:
        if number == 11:
            processes[0].kill()
        return by_sight(asked, number)

    with serving(answer) as server:
        source = described(tmp_path, server.url, "at_once: 1")
        processes.append(scorer(*score(boards, source)))
        processes[0].communicate()
        before = [asked.user for asked in server.requests]
        code, _, told = here(*score(boards, source))
    assert len(before) == 12
    assert code == 0
    assert "29 requests" in told
    assert "11 of 40 texts are cached" in told
    after = [asked.user for asked in server.requests[12:]]
    assert sorted({*before[:11], *after}) == sorted(before[:11] + after)


@pytest.mark.slow
def test_ctrl_c_ends_a_run_at_once_and_keeps_what_was_answered(
    boards: Path, tmp_path: Path, here: Callable[..., tuple[int, str, str]]
) -> None:
    processes: list[Any] = []

    def answer(asked: Request, number: int) -> Reply:
        if number < 5:
            return by_sight(asked, number)
        if number == 5:
            processes[0].send_signal(signal.SIGINT)
        return GOOD._replace(pause=3600)  # who waits for it does not end

    with serving(answer) as server:
        source = described(tmp_path, server.url, "at_once: 1", "seconds: 600")
        processes.append(scorer(*score(boards, source)))
        _, told = processes[0].communicate(timeout=300)
        assert (processes[0].returncode, told.splitlines()[-1]) == (130, "stopped")
        server.answer = by_sight
        _, _, told = here(*score(boards, source))
    assert "5 of 40 texts are cached" in told


@pytest.mark.slow
def test_a_worker_process_gets_the_key_that_its_judge_needs_and_no_other(
    boards: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "submissions" / "explagraphs-practice" / "reference" / "gold"
    folder.mkdir(parents=True)
    for path in (ROOT / "submissions/explagraphs-practice/reference/gold").iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    with serving(by_sight) as server:
        ran = scorer("score", folder, "--boards", boards, "--home", tmp_path / "home", "--engine",
                     "local", "--metrics", "SeCA", "--model",
                     f"seca={described(tmp_path, server.url)}", "--no-null", key=BEARER)
        assert ran.communicate()
        assert ran.returncode == 0
    assert {asked.headers["Authorization"] for asked in server.requests} == {f"Bearer {BEARER}"}


@pytest.mark.claim("A judge behind an endpoint has a card from the same sets, by the same gate.")
@pytest.mark.slow
def test_a_card_says_what_the_endpoint_is_and_counts_refusals_for_nothing(
    tmp_path: Path, here: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(counts.SETTINGS, "max_iter", 5)

    def answer(asked: Request, _: int) -> Reply:
        return completion("No." if "is a; clean" in asked.user else "support")

    data, out = made_up_data(tmp_path / "data"), tmp_path / "judges" / "far"
    with serving(answer) as server:
        source = described(tmp_path, server.url, "revision: abc")
        command = ("judge", "evaluate", "seca", "--judge", source, "--data", data, "--out", out,
                   "--home", tmp_path / "home")
        code, said, told = here(*command)
        assert code == 0, told
        assert "request" not in here(*command)[2]
    card = cards.read(out)
    asked = {asked.user for asked in server.requests}
    assert len(asked) == len(server.requests)
    assert told.startswith(f"seca judge: {len(asked)} requests to ")
    assert card.weights.startswith(Models({"seca": source}).tag("seca").rpartition("-")[2])
    assert (card.name, card.most_tokens) == ("far", 0)
    assert str(tmp_path) not in card.training["measured with"]
    assert "--judge endpoint:judge.yaml --data data" in card.training["measured with"]
    assert (card.base["model"], card.base["revision"]) == ("a/Model-1", "abc")
    assert card.training["note"].endswith("it may have seen the graphs it is measured on.")
    natural = card.evaluation(cards.NATURAL)
    assert natural is not None
    given = [label for row in natural.confusion.values() for label in row]
    assert set(given) == {"refused"}
    assert natural.recall(cards.INCORRECT).count == 0
    assert card.fitness is not None
    assert not card.fitness.fit
    assert "not fit to rank" in said
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in files if BEARER.encode() in path.read_bytes()]


def test_a_site_finds_the_card_of_an_endpoint_by_its_signature(tmp_path: Path) -> None:
    source = described(tmp_path, URL)
    models = Models({"seca": source})
    card = cards.Card("seca", "far", models._endpoints["seca"].digest, ("support",), 0, {}, {}, {})
    known = KnownJudge(card, "judges/far/")
    value = metric_value(0.5, signature=f"SeCA|{models.tag('seca')}|board:b-1.0")
    result = made_result("b", "1.0", "t", "dev", {}, {"SeCA": value}, ())
    found = Judges((known,)).behind(result, "SeCA")
    assert found is not None
    assert found.known is known


def test_the_command_that_repeats_a_row_names_the_endpoints_file(tmp_path: Path) -> None:
    tag = Models({"seca": described(tmp_path, URL, "logprobs: yes")}).tag("seca")
    board = boards_module.load("explagraphs-practice")
    result = made_result("explagraphs-practice", "1.0", "t", "dev", {}, {}, (),
                    models={"seca": tag}, team="a-team", system="a-system")
    assert commands(board, result) == (
        "scorer score submissions/explagraphs-practice/a-team/a-system --results again "
        "--model seca=endpoint:seca.yaml",)
    both = result.replace(models={"seca": tag, "x": "encoder:x-padded-0"})
    assert commands(board, both)[0].endswith(
        " --models fetch --model seca=endpoint:seca.yaml --device cuda")


def test_no_workflow_asks_an_endpoint_and_no_submission_can_name_one() -> None:
    assert not [path for path in (ROOT / ".github" / "workflows").iterdir()
                if "_SECA_KEY" in path.read_text() or "endpoint" in path.read_text()]
    assert not {"model", "judge", "endpoint"} & schema.described(Meta)["properties"].keys()
    assert "sources" not in model_options("fetch")


def test_hidden_gold_is_scored_by_no_endpoint(tmp_path: Path) -> None:
    work = HiddenScoring(tmp_path, None, tmp_path, {"seca": described(tmp_path, URL)})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="hidden items leave this machine for no judge"):
        work.model_store()
