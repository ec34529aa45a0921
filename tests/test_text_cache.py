"""The cache of what judges said: by key alone, for many writers, and never in the way."""

import multiprocessing
from pathlib import Path

import pytest

from scorer.models.text_cache import TextCache, key


def answers(first: int, count: int) -> dict[bytes, bytes]:
    return {key("model", str(n)): b"%08d" % n for n in range(first, first + count)}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "texts.sqlite"


def test_a_key_tells_models_and_texts_apart():
    keys = [key("m", "a", "b"), key("m", "ab", ""), key("m", "b", "a"), key("n", "a", "b"),
            key("m", "a"), key("m", 'a", "b'), key("m", "\ud800")]
    assert len(set(keys)) == len(keys)


def test_what_was_put_is_there_in_the_next_run(tmp_path):
    path = tmp_path / "below" / "texts.sqlite"
    assert TextCache(path).get(list(answers(0, 3)), 8) == {}
    assert not path.exists()  # asking makes no file
    TextCache(path).put(answers(0, 1200))
    assert TextCache(path).get(list(answers(600, 1200)), 8) == answers(600, 600)
    assert TextCache(path).get(list(answers(0, 3)), 12) == {}
    TextCache(None).put(answers(0, 3))
    assert TextCache(None).get(list(answers(0, 3)), 8) == {}


def test_an_answer_that_is_no_bytes_is_a_missing_one(path):
    TextCache(path).put({b"text": "12345678", b"number": 12345678, **answers(0, 1)})
    assert TextCache(path).get([b"text", b"number", *answers(0, 1)], 8) == answers(0, 1)


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
    assert TextCache(path).get(list(answers(0, 250)), 8) == answers(0, 250)
    assert not caplog.records


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
        assert cache.get(list(answers(0, 2)), 8) == {}
    assert [record.getMessage().count("scoring goes on without it. Delete it")
            for record in caplog.records] == [1]
    assert content is None or path.read_bytes() == content
