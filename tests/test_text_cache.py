"""The cache of what models said: by key alone, bounded, for many writers, and never in the way."""

import multiprocessing
import sqlite3
from pathlib import Path

import pytest

from scorer.models import text_cache
from scorer.models.text_cache import Memory, TextCache, key


def answers(first: int, count: int) -> dict[bytes, bytes]:
    return {key("model", str(n)): str(n).encode() * 100 for n in range(first, first + count)}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "texts.sqlite"


def test_a_key_tells_models_and_texts_apart():
    keys = [key("m", "a", "b"), key("m", "ab", ""), key("m", "b", "a"), key("n", "a", "b"),
            key("m", "a"), key("m", 'a", "b'), key("m", "\ud800")]
    assert len(set(keys)) == len(keys)


def test_what_was_put_is_there_in_the_next_run(tmp_path):
    path = tmp_path / "below" / "texts.sqlite"
    assert TextCache(path).get(list(answers(0, 3))) == {}
    assert not path.exists()  # asking makes no file
    TextCache(path).put(answers(0, 1200))
    assert TextCache(path).get(list(answers(600, 1200))) == answers(600, 600)


def write(path: Path, worker: int) -> None:
    for part in range(10):
        TextCache(path).put(answers(worker * 50 + part * 20, 20))


def test_many_processes_may_write_at_once(path, caplog):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=write, args=(path, n)) for n in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 2
    assert TextCache(path).get(list(answers(0, 250))) == answers(0, 250)
    assert not caplog.records


def test_the_file_is_bounded_and_what_was_used_last_stays(path, monkeypatch):
    hours, most = iter(range(1000)), 200_000
    monkeypatch.setattr(text_cache, "_hour", lambda: next(hours))
    cache = TextCache(path, most)
    cache.put(answers(0, 100))
    for start in range(1000, 4000, 100):
        cache.put(answers(start, 100))
        assert cache.get(list(answers(0, 100))) == answers(0, 100)  # used each time
    assert path.stat().st_size < 1.5 * most
    kept = cache.get(list(answers(1000, 3000)))
    assert 0 < len(kept) < 3000
    assert kept.items() >= answers(3900, 100).items()


@pytest.mark.parametrize("content", [b"no database, but as long as the head of one " * 99, b"SQL",
                                     None])
def test_a_file_that_is_none_is_left_alone_with_one_line(content, path, caplog):
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    cache = TextCache(path)
    for _ in range(3):
        cache.put(answers(0, 2))
        assert cache.get(list(answers(0, 2))) == {}
    assert [record.getMessage().count("scoring goes on without it. Delete it")
            for record in caplog.records] == [1]
    assert content is None or path.read_bytes() == content


def test_a_damaged_answer_is_a_missing_one(path):
    TextCache(path).put(answers(0, 4))
    one, two, three, _ = answers(0, 4)
    with sqlite3.connect(path) as file:
        file.execute("UPDATE answers SET answer = substr(answer, 1, 20) WHERE key = ?", [one])
        file.execute("UPDATE answers SET answer = 'text' WHERE key = ?", [two])
        file.execute("UPDATE answers SET key = ? WHERE key = ?", [key("other"), three])
    file.close()
    assert TextCache(path).get([*answers(0, 4), key("other")]) == answers(3, 1)


def test_memory_is_bounded_and_keeps_what_was_used_last():
    memory = Memory(20 * (text_cache.OVERHEAD + 300))
    memory.put(answers(0, 1))
    for n in range(1, 100):
        memory.put(answers(n, 1))
        assert memory.get(list(answers(0, 1)))
    assert 10 < len(memory.get(list(answers(0, 100)))) < 40


def test_memory_reads_through_to_the_file(path):
    Memory(10**6, TextCache(path)).put(answers(0, 5))
    memory = Memory(10**6, TextCache(path))
    assert memory.get(list(answers(0, 7))) == answers(0, 5)
    path.unlink()
    assert memory.get(list(answers(0, 7))) == answers(0, 5)  # remembered
