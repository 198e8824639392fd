"""The program inside the sandbox: it sets its own limits, which the code cannot lift, and runs the code.

It reads {"code", "tests", "seconds", "bytes"} as JSON from its input. Its exit status tells how the code ended.
"""

import json
import os
import resource
import sys
import types

FINISHED, RAISED, TESTS_FAILED, EXITED, OUT_OF_MEMORY = 0, 81, 82, 83, 84
_FILE_BYTES = 8 << 20
_OPEN_FILES = 32


def run(code: str, tests: str) -> int:
    """Return the exit status after both, in one module."""
    module = types.ModuleType("__main__")
    module.__dict__.update(exit=sys.exit, quit=sys.exit)  # as in a process with `site`
    sys.modules["__main__"] = module
    for source, name, failure in ((code, "answer", RAISED), (tests, "tests", TESTS_FAILED)):
        try:
            exec(compile(source, name, "exec", dont_inherit=True), module.__dict__)  # noqa: S102
        except SystemExit:
            return EXITED
        except MemoryError:
            return OUT_OF_MEMORY
        except BaseException:  # noqa: BLE001
            return failure
    return FINISHED


def main() -> None:
    """Read the order, set the limits, and run the code."""
    order = json.load(sys.stdin)
    for limit, value in (
        (resource.RLIMIT_CPU, order["seconds"]),
        (resource.RLIMIT_AS, order["bytes"]),
        (resource.RLIMIT_FSIZE, _FILE_BYTES),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (value, value))
    os.environ.clear()  # bubblewrap and Python added their own variables
    # Not sys.exit: threads that the code left running must not keep the process.
    os._exit(run(order["code"], order["tests"]))


if __name__ == "__main__":
    main()
