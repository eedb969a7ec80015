"""Talks to `omnilink mcp` with the client library of the protocol's authors: other_client.py OMNILINK REPOSITORY."""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

OMNILINK, REPOSITORY = sys.argv[1:]


def data(answer):
    """What came over the wire: the names of attributes differ between versions of the library."""
    return answer.model_dump(by_alias=True, mode="json")


async def main():
    server = StdioServerParameters(command=OMNILINK, args=["mcp", REPOSITORY], cwd=REPOSITORY)
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        welcome = data(await session.initialize())
        assert welcome["serverInfo"]["name"] == "omnilink", welcome
        tools = data(await session.list_tools())["tools"]
        assert len(tools) == 7, tools
        seen = []

        async def progress(done, total, message):
            seen.append((done, total, message))

        # The library validates the structured answer against the schema that the tool declares.
        found = data(
            await session.call_tool(
                "check", {"traces": ["examples/queue-taken-twice.ndjson"], "model": "queue"}, progress_callback=progress
            )
        )
        assert not found["isError"], found
        assert found["structuredContent"]["verdict"] == "violation", found
        assert "No order of the operations" in found["content"][0]["text"], found
        checked = data(await session.call_tool("tla_check", {"files": ["examples/tla/Fifo.tla"]}))
        assert checked["structuredContent"]["verdict"] == "valid", checked
        refused = data(await session.call_tool("mc", {"spec": "/etc/passwd"}))
        assert refused["isError"] and "not in the folders" in refused["content"][0]["text"], refused
        pages = data(await session.list_resources())["resources"]
        page = next(page for page in pages if page["name"] == "mcp")
        read = data(await session.read_resource(page["uri"]))
        assert read["contents"][0]["text"].startswith("# "), read
    print("the client library is content")


asyncio.run(main())
