"""Who may hand in what: ``annotations/annotators.yml``, if a host has one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from scorer.core.errors import Problem
from scorer.core.reading.schema import load
from scorer.core.reading.values import Items, Slug, YesNo
from scorer.people.records import BATCH_NAME, LOGIN

FILE_NAME = "annotators.yml"
SIMULATED = "simulated-"
"""What the logins of simulated annotators begin with, so that a copied file still says so."""


@dataclass(frozen=True)
class Person:
    """One annotator."""

    active: Annotated[bool, YesNo(), "Whether new files are accepted."] = True
    roles: Annotated[tuple[Annotated[str, BATCH_NAME], ...], Items(), "The kinds of batches that "
                     "they work on."] = ()
    simulated: Annotated[bool, YesNo(), "Whether a program writes the answers: whatever they have "
                         "part in is called simulated, and orders no rows."] = False
    teams: Annotated[tuple[Slug, ...], Items(0, 20), "Teams that they belong to: what they say of "
                     "graphs of these teams' systems is no verdict."] = ()


_People = Annotated[Mapping[Annotated[str, LOGIN], Person], Items(0, 2000)]


def read(annotations: Path) -> tuple[Mapping[str, Person], list[Problem]]:
    """Annotators by login, none without the file; and everything that is wrong with it."""
    path = annotations / FILE_NAME
    if not path.exists():
        return {}, []
    people, problems = load(_People, path.read_bytes(), str(path))
    return people or {}, problems


def may(people: Mapping[str, Person], login: str, kind: str) -> bool:
    """Whether somebody may hand in answers to a kind of batch.

    Who is not active may hand in nothing. A kind that is somebody's role is for those alone who
    have it.

    >>> people = {"ann": Person(roles=("verify",)), "bob": Person()}
    >>> may(people, "ann", "verify"), may(people, "bob", "verify"), may(people, "bob", "csk")
    (True, False, True)
    """
    member = people.get(login, Person())
    held = any(kind in person.roles for person in people.values())
    return member.active and (not held or kind in member.roles)


def may_judge(people: Mapping[str, Person], login: str, system: str) -> bool:
    """Whether somebody's votes are verdicts on a system, ``team/system``: not on their own team's.

    >>> people = {"ann": Person(teams=("one",))}
    >>> may_judge(people, "ann", "one/x"), may_judge(people, "ann", "two/x")
    (False, True)
    """
    return system.partition("/")[0] not in people.get(login, Person()).teams


def is_simulated(people: Mapping[str, Person], login: str) -> bool:
    """Whether a program writes somebody's answers: by the mark, or by the name alone.

    >>> people = {"ann": Person(), "hal": Person(simulated=True)}
    >>> [is_simulated(people, login) for login in ("ann", "hal", "simulated-1", "nobody")]
    [False, True, True, False]
    """
    return login.startswith(SIMULATED) or people.get(login, Person()).simulated


def simulated(people: Mapping[str, Person], logins: Iterable[str]) -> tuple[str, ...]:
    """Those of some annotators who are simulated, each once, sorted."""
    return tuple(sorted({login for login in logins if is_simulated(people, login)}))
