"""The engine ray on a cluster on this machine, to which a second machine comes and is lost."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scorer.core.errors import DataError
from scorer.scoring.engines import ray as engine
from scorer.scoring.engines.outcomes import Failure, run_inline
from tests import engine_targets
from tests.engine_targets import Ill, Odd, make
from tests.run_helpers import SUBMISSIONS, arguments, rows_tree, score, stopped

pytestmark = [
    pytest.mark.ray,
    pytest.mark.slow,
]


FOLDERS = [SUBMISSIONS / "second-gold", SUBMISSIONS / "null"]
"""Three splits."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """One machine of one CPU, as far as Ray can tell; this process stays connected."""
    for name, value in engine.QUIET.items():
        os.environ.setdefault(name, value)
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, shutdown_at_exit=False,
                   head_node_args={"num_cpus": 1, "include_dashboard": False})
    with engine._connected(str(made.address), None):
        yield made
    made.shutdown()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What this process writes."""
    out = tmp_path_factory.mktemp("here") / "results"
    score(run_inline, out, folders=FOLDERS)
    return rows_tree(out)


def test_a_worker_killed_in_the_middle_changes_no_byte(
    cluster: Any, expected: dict[str, bytes], tmp_path: Path
) -> None:
    def ray(recipe: Any, jobs: Any) -> Any:
        ill = Ill(recipe, "null", f"kill-once {tmp_path / 'killed'}")
        return engine.run(ill, jobs, seconds=600, address=str(cluster.address))

    score(ray, tmp_path / "out", folders=FOLDERS)
    assert (tmp_path / "killed").exists()
    assert rows_tree(tmp_path / "out") == expected


def test_what_the_cluster_cannot_do_stops_the_run_with_its_reason(
    cluster: Any, tmp_path: Path
) -> None:
    address = str(cluster.address)
    with pytest.raises(DataError, match="ask for less with --gpus"):
        list(engine.run(make, ["a"], seconds=600, address=address, gpus=64))
    with pytest.raises(DataError, match="no oven"):
        list(engine.run(engine_targets.make_nothing, ["a"], seconds=600, address=address))
    jobs = ["a", f"kill-once {tmp_path / 'killed'}"]  # whose next worker is another process
    with pytest.raises(DataError, match="two workers are not alike"):
        list(engine.run(Odd, jobs, seconds=600, address=address, size=1))


def test_a_machine_that_is_lost_takes_no_result_along(cluster: Any) -> None:
    node = cluster.add_node(num_cpus=1)
    jobs = [f"job {number}" for number in range(12)]
    done = []
    for job, answer in engine.run(make, jobs, seconds=600, address=str(cluster.address)):
        assert not isinstance(answer, Failure)
        done.append(job)
        if len(done) == 3:
            cluster.remove_node(node, allow_graceful=False)
    assert sorted(done) == sorted(jobs)


def test_the_command_begins_a_quiet_cluster_of_its_own_and_ctrl_c_stops_it(
    expected: dict[str, bytes], tmp_path: Path
) -> None:
    out = tmp_path / "results"
    ran = stopped(signal.SIGINT, 2, "after", *arguments(
        out, "--engine", "ray", "--workers", "1", folders=FOLDERS))
    assert (ran.stdout, ran.stderr, ran.returncode) == ("", "stopped\n", 130)
    assert 0 < len(rows_tree(out)) < len(expected)
    assert rows_tree(out).items() <= expected.items()
