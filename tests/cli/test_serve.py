from __future__ import annotations

import re
import signal
import socket
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from support.commands import nullbench, start


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A repository whose site has one page."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<title>The board</title>", "utf-8")
    return tmp_path


def test_without_a_site_it_says_how_to_make_one(tmp_path: Path) -> None:
    done = nullbench(tmp_path, "serve")
    assert (done.code, done.out) == (2, "")
    assert done.message == "Error: site: there is no site yet; make one with: nullbench-site build"


def test_a_port_that_is_taken_is_named_with_what_to_do(site: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = nullbench(site, "serve", "--port", str(port))
    assert (done.code, done.out) == (3, "")
    assert done.message == (
        f"Error: cannot listen on 127.0.0.1:{port} (Address already in use); "
        "choose another with --port, or --port 0 for any free one"
    )


def test_an_address_of_another_machine_is_one_message(site: Path) -> None:
    done = nullbench(site, "serve", "--host", "203.0.113.7", "--port", "0")
    assert done.code == 3
    assert done.message.startswith("Error: cannot listen on 203.0.113.7:0 (Cannot assign requested address)")


def test_it_serves_the_site_until_ctrl_c_and_ends_well(site: Path) -> None:
    process = start(site, "serve", "--port", "0")
    with process:
        assert process.stderr is not None
        said = process.stderr.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/", said)
        assert address, said
        with urllib.request.urlopen(address[0], timeout=60) as page:  # noqa: S310
            assert page.read() == b"<title>The board</title>"
        with pytest.raises(urllib.error.HTTPError, match="404") as missing:
            urllib.request.urlopen(f"{address[0]}nothing", timeout=60)  # noqa: S310
        missing.value.close()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "", "")
