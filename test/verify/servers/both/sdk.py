"""The tools on the official SDK for Python, which speaks both families: a parameter that is resolved by sampling is a request of a session, or a
part of a round of input."""

import json
import os
import sys
from typing import Annotated

from mcp.server.mcpserver import Elicit, ElicitationResult, MCPServer, Resolve, Sample
from mcp.types import CreateMessageResult, ImageContent, SamplingMessage, TextContent
from pydantic import BaseModel

ONE_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="

server = MCPServer("sdk-python")


def user(content) -> SamplingMessage:
    return SamplingMessage(role="user", content=content)


def text(said: str) -> TextContent:
    return TextContent(type="text", text=said)


def sample(question: str) -> Sample:
    return Sample([user(text(question))], max_tokens=100)


def said(reply: CreateMessageResult) -> str:
    return reply.content.text if reply.content.type == "text" else reply.content.type


class Confirmed(BaseModel):
    confirm: bool


def once(question: str):
    return sample(question)


def first(question: str):
    return sample(f"{question} (first)")


def second(question: str):
    return sample(f"{question} (second)")


def with_image(question: str):
    image = ImageContent(type="image", data=ONE_PIXEL, mime_type="image/png")
    return Sample([user(text(question)), user(image)], max_tokens=100)


def confirmed():
    return Elicit("Is the question right?", Confirmed)


def round_one(question: str):
    return sample(f"{question} (round 1)")


def round_two(question: str, before: Annotated[CreateMessageResult, Resolve(round_one)]):
    return sample(f"{question} (round 2)")


def round_three(question: str, before: Annotated[CreateMessageResult, Resolve(round_two)]):
    return sample(f"{question} (round 3)")


def round_four(question: str, before: Annotated[CreateMessageResult, Resolve(round_three)]):
    return sample(f"{question} (round 4)")


def round_five(question: str, before: Annotated[CreateMessageResult, Resolve(round_four)]):
    return sample(f"{question} (round 5)")


@server.tool(name="ask")
def ask(question: str, reply: Annotated[CreateMessageResult, Resolve(once)]) -> str:
    return said(reply)


@server.tool(name="ask-image")
def ask_image(question: str, reply: Annotated[CreateMessageResult, Resolve(with_image)]) -> str:
    return said(reply)


@server.tool(name="ask-two")
def ask_two(
    question: str,
    one: Annotated[CreateMessageResult, Resolve(first)],
    other: Annotated[CreateMessageResult, Resolve(second)],
) -> str:
    return json.dumps([said(one), said(other)], separators=(",", ":"))


@server.tool(name="ask-five")
def ask_five(
    question: str,
    one: Annotated[CreateMessageResult, Resolve(round_one)],
    two: Annotated[CreateMessageResult, Resolve(round_two)],
    three: Annotated[CreateMessageResult, Resolve(round_three)],
    four: Annotated[CreateMessageResult, Resolve(round_four)],
    five: Annotated[CreateMessageResult, Resolve(round_five)],
) -> str:
    return json.dumps([said(each) for each in (one, two, three, four, five)], separators=(",", ":"))


@server.tool(name="ask-and-elicit")
def ask_and_elicit(
    question: str,
    reply: Annotated[CreateMessageResult, Resolve(once)],
    form: Annotated[ElicitationResult[Confirmed], Resolve(confirmed)],
) -> str:
    content = form.data.model_dump() if form.action == "accept" else None
    return json.dumps({"reply": said(reply), "action": form.action, "content": content}, separators=(",", ":"))


if sys.argv[1] == "stdio":
    server.run("stdio")
else:
    server.run("streamable-http", port=int(os.environ["PORT"]))
