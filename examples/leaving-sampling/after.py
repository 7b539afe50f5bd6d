# The moved server in Python (mcp 2, openai 3), for clients of revision 2026-07-28. Where its client gives no token, the result has the reply.

import os
import uuid

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
)
from openai import AsyncOpenAI

SYSTEM = "You write short, plain summaries."
TOKEN = "countersign/v1Token"
BASE_URL = os.environ["COUNTERSIGN_V1_URL"]

mcp = MCPServer("summarize")


@mcp.tool()
async def summarize(text: str, ctx: Context) -> str | InputRequiredResult:
    prompt = f"Summarize in one sentence:\n\n{text}"
    if ctx.input_responses is None:
        params = CreateMessageRequestParams(
            messages=[SamplingMessage(role="user", content=TextContent(type="text", text=prompt))],
            system_prompt=SYSTEM,
            max_tokens=200,
            metadata={TOKEN: {"maxUsd": 0.05}},
        )
        return InputRequiredResult(input_requests={"reply": CreateMessageRequest(params=params)})
    result = ctx.input_responses["reply"]
    given = (result.meta or {}).get(TOKEN)
    if given is None:
        return result.content.text
    openai = AsyncOpenAI(api_key=given["token"], base_url=BASE_URL, timeout=600)
    completion = await openai.chat.completions.create(
        model="auto",
        messages=[{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt}],
        max_completion_tokens=200,
        extra_headers={"Idempotency-Key": str(uuid.uuid4())},
    )
    message = completion.choices[0].message
    if message.refusal is not None:
        raise ValueError(message.refusal)
    return message.content or ""


if __name__ == "__main__":
    mcp.run(transport="streamable-http", host="127.0.0.1", port=int(os.environ["PORT"]))
