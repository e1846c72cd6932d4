"""Whoever opens the gateway's address without a key is led to the description and to how the memory is."""

import re

import pytest

from tests.support.real_gateway import RealGateway

pytestmark = pytest.mark.server


async def test_the_front_page_leads_to_what_there_is_and_loads_nothing_from_elsewhere(gateway: RealGateway) -> None:
    async with gateway.client(None) as api:
        page = await api.get("/")
        assert page.status_code == 200
        assert "default-src 'none'" in page.headers["content-security-policy"]
        assert not re.search(r"https?://|src=|@import|url\(", page.text)
        links = set(re.findall(r'href="([^"]*)"', page.text))
        assert links == {"docs", "openapi.json", "health/live", "health/ready"}
        answers = {link: (await api.get(f"/{link}")).status_code for link in links - {"health/ready"}}
        assert set(answers.values()) == {200}
