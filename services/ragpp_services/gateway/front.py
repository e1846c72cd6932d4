"""The page at `/`, for whoever opens the gateway's address in a browser: it leads to what there is."""

from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse

_PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>RAG++</title>
<style>
body {{ font: 1.1rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }}
dt {{ font-weight: bold; margin-top: 1rem }}
</style>
<h1>RAG++ {version}</h1>
<p>The memory of AI agents. This gateway remembers what was said, and recalls what matters.</p>
<dl>
<dt><a href="docs">docs</a><dd>Every route, to read and to try out with a key.
<dt><a href="openapi.json">openapi.json</a><dd>The same for programs.
<dt><a href="health/ready">health/ready</a><dd>Whether every tier answers; <a href="health/live">health/live</a>:
whether this process does.
</dl>
<p>Every other request carries <code>Authorization: Bearer &lt;key&gt;</code>. <code>ragpp key create</code> makes
a key, <code>ragpp doctor</code> tries everything out.</p>
</html>
"""
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
"""It needs nothing from anywhere."""


async def front(request: Request) -> HTMLResponse:
    """Answered without a key: it says nothing of anybody."""
    page = _PAGE.format(version=request.app.version)
    return HTMLResponse(page, headers={"content-security-policy": _POLICY})
