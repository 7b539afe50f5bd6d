import { describe, expect, test } from "vitest";
import { answeredByLong } from "../../../client/stdio/long-line.ts";

const body = `{"content":[{"text":"${"x".repeat(50)}`;
const end = `${"x".repeat(50)}"}]}`;

describe("a line that is too long to be read", () => {
  test.each([
    [`{"jsonrpc":"2.0","id":7,"result":${body}`, `${end}}\n`, 7],
    [` { "id" : "a\\"b" , "jsonrpc" : "2.0" , "result" : ${body}`, `${end}}\n`, 'a"b'],
    [`{"result":${body}`, `${end},"jsonrpc":"2.0","id":7}\n`, 7],
    [`{"jsonrpc":"2.0","result":${body}`, `${end}, "id": -1 }`, -1],
    [`{"error":${body}`, `${end},"id":7,"jsonrpc":"2.0"}\r\n`, 7],
  ])("says at one of its ends which request it answers: %s", (head, tail, id) => {
    expect(answeredByLong(head, tail)).toBe(id);
  });

  test.each([
    // A request and a notification of the server.
    [`{"method":"sampling/createMessage","params":${body}`, `${end},"jsonrpc":"2.0","id":7}\n`],
    [`{"jsonrpc":"2.0","id":7,"method":"x","params":${body}`, `${end}}\n`],
    // An id that is deeper, or none.
    [`{"result":${body}`, `${end},"id":7}}\n`],
    [`{"result":${body}`, `${end}}\n`],
    [`{"jsonrpc":"2.0","id":null,"error":${body}`, `${end}}\n`],
    // A batch, and no JSON.
    [`[{"jsonrpc":"2.0","id":7,"result":${body}`, `${end}}]\n`],
    ["x".repeat(100), '"id":7}'],
  ])("is no answer that could be known: %s", (head, tail) => {
    expect(answeredByLong(head, tail)).toBeUndefined();
  });
});
