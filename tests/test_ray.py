"""The engine ray on a cluster on this machine, to which a second machine comes and is lost."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scorer.core.errors import DataError
from scorer.scoring.engines import ray as engine
from scorer.scoring.engines.outcomes import Failure
from scorer.scoring.submissions import run_inline
from tests import engine_targets
from tests.engine_targets import make
from tests.run_helpers import SUBMISSIONS, arguments, rows_tree, score, stopped

pytestmark = [pytest.mark.ray, pytest.mark.slow]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """One machine of one CPU, as far as Ray can tell; this process stays connected."""
    for name, value in engine.QUIET.items():
        os.environ.setdefault(name, value)
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, shutdown_at_exit=False,
                   head_node_args={"num_cpus": 1, "include_dashboard": False})
    with engine.connected(str(made.address), None):
        yield made
    made.shutdown()


def test_a_killed_worker_s_job_is_done_by_another(cluster: Any, tmp_path: Path) -> None:
    jobs = ["a", f"kill-once {tmp_path / 'one'}", "b"]
    answers = [*engine.run(make, jobs, seconds=600, address=str(cluster.address), size=1)]
    assert len(answers) == 3
    assert not [answer for _, answer in answers if isinstance(answer, Failure)]


def test_what_the_cluster_cannot_do_stops_the_run_with_its_reason(cluster: Any) -> None:
    address = str(cluster.address)
    with pytest.raises(DataError, match="ask for less with --gpus"):
        list(engine.run(make, ["a"], seconds=600, address=address, gpus=64))
    with pytest.raises(DataError, match="no oven"):
        list(engine.run(engine_targets.make_nothing, ["a"], seconds=600, address=address))


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


def test_the_command_begins_a_quiet_cluster_of_its_own_and_ctrl_c_stops_it(tmp_path: Path) -> None:
    folders, out = [SUBMISSIONS / "second-gold", SUBMISSIONS / "null"], tmp_path / "results"
    score(run_inline, tmp_path / "here", folders=folders)
    expected = rows_tree(tmp_path / "here")
    ran = stopped(signal.SIGINT, 2, "after", *arguments(
        out, "--engine", "ray", "--workers", "1", folders=folders))
    assert (ran.stdout, ran.stderr, ran.returncode) == ("", "stopped\n", 130)
    assert 0 < len(rows_tree(out)) < len(expected)
    assert rows_tree(out).items() <= expected.items()
