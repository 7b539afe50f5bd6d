"""The tools on fastmcp for Python, which speaks both families: a tool asks its session, or answers with a round of input and runs again."""

import json
import os
import sys

from fastmcp import Context, FastMCP
from mcp.types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ImageContent,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
    Tool,
    ToolResultContent,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel

ONE_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WEATHER = Tool(
    name="weather",
    description="The weather of a city",
    input_schema={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
FORM = {"type": "object", "properties": {"confirm": {"type": "boolean"}}, "required": ["confirm"]}

server = FastMCP("fastmcp-python")


class Confirmed(BaseModel):
    confirm: bool


def user(content) -> SamplingMessage:
    return SamplingMessage(role="user", content=content)


def text(said: str) -> TextContent:
    return TextContent(type="text", text=said)


def blocks(content) -> list[dict]:
    listed = content if isinstance(content, list) else [content]
    return [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in listed]


class Asking:
    """What one run of a tool asks its client. In 2026-07-28 an answer is None until the client has sent it."""

    def __init__(self, ctx: Context):
        self.ctx = ctx
        self.is_modern = ctx.request_context.protocol_version in MODERN_PROTOCOL_VERSIONS
        self.wanted = {}
        self.answers = json.loads(ctx.request_state or "{}") if self.is_modern else {}
        for key, answer in (ctx.input_responses or {}).items():
            self.answers[key] = answer.model_dump(mode="json", by_alias=True, exclude_none=True)

    async def sample(self, key: str, messages: list[SamplingMessage], tools: list[Tool] | None = None) -> list[dict] | None:
        if not self.is_modern:
            return blocks((await self.ctx.session.create_message(messages, max_tokens=100, tools=tools)).content)
        if key in self.answers:
            content = self.answers[key]["content"]
            return content if isinstance(content, list) else [content]
        params = CreateMessageRequestParams(messages=messages, max_tokens=100, tools=tools)
        self.wanted[key] = CreateMessageRequest(params=params)
        return None

    async def confirm(self, key: str) -> dict | None:
        if not self.is_modern:
            form = await self.ctx.elicit("Is the question right?", Confirmed)
            return {"action": form.action, "content": form.data.model_dump()}
        if key in self.answers:
            return self.answers[key]
        self.wanted[key] = ElicitRequest(params=ElicitRequestFormParams(message="Is the question right?", requested_schema=FORM))
        return None

    def round(self) -> InputRequiredResult:
        return InputRequiredResult(input_requests=self.wanted, request_state=json.dumps(self.answers))


def said(content: list[dict]) -> str:
    return "".join(block.get("text", block["type"]) for block in content)


def compact(value) -> str:
    return json.dumps(value, separators=(",", ":"))


@server.tool(name="ask")
async def ask(question: str, ctx: Context) -> str | InputRequiredResult:
    asking = Asking(ctx)
    reply = await asking.sample("reply", [user(text(question))])
    return asking.round() if reply is None else said(reply)


@server.tool(name="ask-image")
async def ask_image(question: str, ctx: Context) -> str | InputRequiredResult:
    asking = Asking(ctx)
    image = ImageContent(type="image", data=ONE_PIXEL, mime_type="image/png")
    reply = await asking.sample("reply", [user(text(question)), user(image)])
    return asking.round() if reply is None else said(reply)


@server.tool(name="ask-two")
async def ask_two(question: str, ctx: Context) -> str | InputRequiredResult:
    asking = Asking(ctx)
    replies = [await asking.sample(key, [user(text(f"{question} ({key})"))]) for key in ("first", "second")]
    return asking.round() if None in replies else compact([said(reply) for reply in replies])


@server.tool(name="ask-five")
async def ask_five(question: str, ctx: Context) -> str | InputRequiredResult:
    asking = Asking(ctx)
    replies = []
    for number in range(1, 6):
        reply = await asking.sample(f"round-{number}", [user(text(f"{question} (round {number})"))])
        if reply is None:
            return asking.round()
        replies.append(said(reply))
    return compact(replies)


@server.tool(name="ask-and-elicit")
async def ask_and_elicit(question: str, ctx: Context) -> str | InputRequiredResult:
    asking = Asking(ctx)
    reply = await asking.sample("reply", [user(text(question))])
    form = await asking.confirm("confirm")
    if reply is None or form is None:
        return asking.round()
    return compact({"reply": said(reply), "action": form["action"], "content": form["content"]})


@server.tool(name="ask-tools")
async def ask_tools(question: str, ctx: Context) -> str | InputRequiredResult:
    asking = Asking(ctx)
    messages = [user(text(question))]
    for number in range(1, 6):
        content = await asking.sample(f"round-{number}", messages, [WEATHER])
        if content is None:
            return asking.round()
        uses = [block for block in content if block["type"] == "tool_use"]
        if not uses:
            return compact({"round": number, "content": content})
        results = [ToolResultContent(type="tool_result", tool_use_id=use["id"], content=[text("Sunny")]) for use in uses]
        messages += [SamplingMessage.model_validate({"role": "assistant", "content": content}), user(results)]
    return "too many rounds"


if sys.argv[1] == "stdio":
    server.run("stdio", show_banner=False)
else:
    server.run("http", host="127.0.0.1", port=int(os.environ["PORT"]), show_banner=False)
