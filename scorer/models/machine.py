"""On what models run, and with which numbers: it decides the last digits, so signatures name it."""

from __future__ import annotations

from dataclasses import dataclass

from scorer.core.errors import UsageError, excerpt

DTYPES = ("float32", "bfloat16", "float16")


@dataclass(frozen=True)
class Machine:
    """A device and a precision. Raises UsageError for one that is not supported."""

    device: str = "cpu"
    dtype: str = "float32"

    def __post_init__(self) -> None:
        if self.device not in ("cpu", "cuda"):
            raise UsageError(f"no device {excerpt(self.device)}; choose one of: cpu, cuda")
        if self.dtype not in DTYPES:
            raise UsageError(f"no precision {excerpt(self.dtype)}; choose one of: "
                             f"{', '.join(DTYPES)}")
        if self.device == "cpu" and self.dtype != "float32":
            raise UsageError(f"{self.dtype} needs a GPU; choose --device cuda, or float32")

    @property
    def padded(self) -> bool:
        """Whether texts of several lengths share a batch: on a GPU, where it pays."""
        return self.device != "cpu"

    @property
    def words(self) -> tuple[str, ...]:
        """The parts of a signature: the precision if it is not float32, and the batch rule."""
        dtype = () if self.dtype == "float32" else (self.dtype,)
        return (*dtype, "padded" if self.padded else "steady")


MACHINES = (Machine(), *(Machine("cuda", dtype) for dtype in DTYPES))
"""Every machine that is supported."""
