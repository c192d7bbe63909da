"""What axe-core finds wrong with the page that is open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

AXE = Path(__file__).with_name("axe.min.js")
RUN = """
const [done] = arguments;
axe.run(document).then(done, (error) => done({ passes: [], error: String(error) }));
"""


def violations(browser: Any) -> list[str]:
    """Each with the rule and where."""
    browser.set_script_timeout(120)
    browser.execute_script(AXE.read_text(encoding="utf-8"))
    found = browser.execute_async_script(RUN)
    assert len(found["passes"]) > 10, found
    return [
        f"{one['id']}: {one['help']}: {node['html'][:200]}"
        for one in found["violations"]
        for node in one["nodes"]
    ]
