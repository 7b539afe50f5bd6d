# OpenAI's SDK for Python, asked as `Asked` in test/outside/support/v1-clients.ts says: its JSON on the standard input, and one JSON value a line on
# the standard output: "attempt", "response", and what came of it.

import json
import sys

import openai
from pydantic import BaseModel


class Sum(BaseModel):
    sum: float


def tell(what):
    print(json.dumps(what), flush=True)


asked = json.load(sys.stdin)
client = openai.OpenAI(
    base_url=asked["baseUrl"],
    api_key=asked["apiKey"],
    max_retries=asked.get("retries", 0),
    timeout=asked["timeoutMs"] / 1000 if "timeoutMs" in asked else openai.NOT_GIVEN,
    default_headers=asked.get("headers"),
    http_client=openai.DefaultHttpxClient(
        event_hooks={"request": [lambda _: tell("attempt")], "response": [lambda _: tell("response")]}
    ),
)

content = asked["prompt"]
if "image" in asked:
    content = [{"type": "text", "text": content}, {"type": "image_url", "image_url": {"url": asked["image"]}}]
messages = [{"role": "user", "content": content}]
number = {"type": "number"}
parameters = {"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]}
tools = [{"type": "function", "function": {"name": "add", "description": "Adds two numbers.", "parameters": parameters}}]
terms = {"model": "scripted", "max_completion_tokens": 50}
if "temperature" in asked:
    terms["temperature"] = asked["temperature"]
if asked.get("tools"):
    terms["tools"] = tools


def choice():
    if not asked.get("stream"):
        return client.chat.completions.create(messages=messages, **terms).choices[0]
    with client.chat.completions.stream(messages=messages, **terms) as stream:
        return stream.get_final_completion().choices[0]


def said():
    if asked.get("json"):
        parsed = client.chat.completions.parse(messages=messages, response_format=Sum, **terms).choices[0].message
        return {"text": parsed.content, "json": parsed.parsed.model_dump()}
    while True:
        chosen = choice()
        message = chosen.message
        if not message.tool_calls:
            return {"text": message.refusal or message.content or "", "finish": chosen.finish_reason}
        messages.append(message.to_dict())
        for call in message.tool_calls:
            given = json.loads(call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": str(given["a"] + given["b"])})


try:
    tell({"said": said()})
except openai.APIError as error:
    tell({"error": {"status": getattr(error, "status_code", None), "code": error.code, "param": error.param}})
