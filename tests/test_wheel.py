"""The wheel carries all that `init` and `render` need; a checkout on the path would hide a missing file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from nullbench_site.extensions import registered
from nullbench_site.specs.protocol import specs_of

REPOSITORY = Path(__file__).parents[1]


def test_the_wheel_makes_and_builds_a_board_where_there_is_no_checkout(tmp_path: Path):
    wheels = tmp_path / "wheels"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)]
    subprocess.run(build, cwd=REPOSITORY, check=True, capture_output=True)
    (wheel,) = wheels.glob("*.whl")
    empty = tmp_path / "empty"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(empty)], check=True)
    python = empty / "bin" / "python"
    install = [sys.executable, "-m", "uv", "pip", "install", "--offline", "--no-cache", "--no-deps", "--python"]
    subprocess.run([*install, str(python), str(wheel)], check=True, capture_output=True)
    # Its dependencies are those of this environment; the package itself is the wheel's, which comes first on the path.
    (site_packages,) = (empty / "lib").glob("python3*/site-packages")
    installed = [path for path in sys.path if Path(path).name == "site-packages"]
    (site_packages / "dependencies.pth").write_text("\n".join(installed) + "\n")

    def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        command = [str(empty / "bin" / "nullbench-site"), *arguments]
        return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True)

    where = subprocess.run(
        [str(python), "-c", "import nullbench_site; print(nullbench_site.__file__)"],
        cwd=tmp_path, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert where.stdout.startswith(str(empty))
    each = (
        "from pathlib import Path; from nullbench_site import extensions, starter\n"
        "from nullbench_site.specs.protocol import specs_of\n"
        "for protocol in extensions.registered('protocols'):\n"
        "    if specs_of(protocol).starter:\n"
        "        print(starter.make_repository(Path(protocol), protocol=protocol))"
    )
    made = subprocess.run([str(python), "-c", each], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert made.stdout.split() == [name for name in registered("protocols") if specs_of(name).starter]
    run("init", "board", cwd=tmp_path)
    board = tmp_path / "board"
    # Every kind of control, on few items: what the wheel must carry for them is the same.
    main = board / "specs" / "boards" / "main.yaml"
    main.write_text(main.read_text("utf-8") + "controls: {items: 2}\n", "utf-8")
    run("build", cwd=board)
    assert (board / "site" / "judges" / "main" / "index.html").read_text("utf-8").count('id="controls"')
    assert "<table" in (board / "site" / "boards" / "main" / "index.html").read_text("utf-8")
    assert "follow from" in run("verify", cwd=board).stdout
    (tmp_path / "scores.csv").write_text("model,x,y\na,1,0\nb,0,1\n", "utf-8")
    assert run("rank", "scores.csv", "--format", "html", cwd=tmp_path).stdout.startswith("<!doctype html>")
    library = (
        "import nullbench_site as nb; print(*nb.__all__); run = nb.open_run('board')\n"
        "print(*run.frame('leaderboard').columns[:4])"
    )
    used = subprocess.run([str(python), "-c", library], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "open_run" in used.stdout
    assert used.stdout.endswith("rank rank_low rank_high model\n")
    assert (site_packages / "nullbench_site" / "py.typed").is_file()
