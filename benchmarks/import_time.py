"""What `import mithril` adds to `import numpy`: medians of processes that take turns.

Other programs of the machine lengthen the wall time more than the time of the processor.
Byte code is cached, as in an installed package.

    PYTHONPATH=build/release/python .venv/bin/python benchmarks/import_time.py [ROUNDS]
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAMS = {"numpy": "import numpy", "mithril": "import numpy, mithril"}


def seconds(program, environment):
    """The processor time and the wall time of a process."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, wall


def main():
    rounds = int((sys.argv[1:] or ["20"])[0])
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        taken = {name: [] for name in PROGRAMS}
        for _ in range(rounds + 1):
            for name, program in PROGRAMS.items():
                taken[name].append(seconds(program, environment))
    medians = {
        name: [statistics.median(column) for column in zip(*runs[1:], strict=True)]
        for name, runs in taken.items()  # the first run writes the byte code
    }
    for i, kind in enumerate(("processor", "wall")):
        figures = {name: round(values[i], 3) for name, values in medians.items()}
        added = round(medians["mithril"][i] - medians["numpy"][i], 3)
        print(json.dumps({"seconds": kind, **figures, "added": added}))


if __name__ == "__main__":
    main()
