"""Scripts as one: what a module exports reaches its importers, and what cannot be bundled is named."""

from __future__ import annotations

import subprocess
from shutil import which

import pytest

from nullbench_site.site.tree import ConfigError, script_bundle

MODULES = {
    "nullbench.js": 'import("./b/c.js").then(({ start }) => start());\n',
    "a.js": "// A note.\nexport const one = 1;\nconst two = 2;\nexport { two };\nexport class Three { is = 3; }\n",
    "b/c.js": 'import { one as first, two } from "../a.js";\nimport * as a from "../a.js";\n'
    "export const start = () => console.log(first, two, new a.Three().is);\n",
}


@pytest.mark.skipif(which("node") is None, reason="needs node")
def test_a_bundle_does_what_its_modules_do() -> None:
    run = ["node", "--input-type=module", "-"]
    assert (
        subprocess.run(run, input=script_bundle(MODULES), text=True, capture_output=True, check=True).stdout
        == "1 2 3\n"
    )


@pytest.mark.parametrize("line", ["export default 1;", 'import x from "./a.js";', 'import { x } from "./no.js";'])
def test_what_cannot_be_bundled_is_named(line: str) -> None:
    with pytest.raises(ConfigError, match=r"site_templates/assets/js/b\.js: .*"):
        script_bundle({**MODULES, "b.js": f"{line}\n"})
