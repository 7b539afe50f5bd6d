import { describe, expect, test } from "vitest";
import { readStdio } from "../../../client/stdio/command-line.ts";

const env = { COUNTERSIGN_URL: "https://gateway.example.com", COUNTERSIGN_API_KEY: "key" };
const read = (text: string, variables: Record<string, string> = env) => readStdio(text.split(" ").filter(Boolean), variables);

describe("the command line of countersign stdio", () => {
  test("takes the server's command behind --, with every argument as it is", () => {
    expect(readStdio(["--", "/usr/bin/some-server.exe", "--url", "x", "--", "--help"], env)).toEqual({
      url: env.COUNTERSIGN_URL,
      apiKey: "key",
      server: "some-server",
      mode: "fulfil",
      elicitation: "forward",
      elicitationHosts: undefined,
      association: "auto",
      tools: true,
      tasks: true,
      reviewsCalls: false,
      shownTools: null,
      holdSeconds: 50,
      tokenUsd: undefined,
      command: "/usr/bin/some-server.exe",
      args: ["--url", "x", "--", "--help"],
    });
  });

  test("takes every option, and --url before the environment", () => {
    const line =
      "--url http://localhost:8787 --server=notes --mode fallback --elicitation fulfil --elicitation-host a.example --elicitation-host b.example --association inFlight --no-tools --no-tasks --review-calls --allow-tools read_* --allow-tools list --deny-tools *_all --hold 1.5 --tokens 0.5 -- npx -y notes";
    expect(read(line)).toMatchObject({
      url: "http://localhost:8787",
      server: "notes",
      mode: "fallback",
      elicitation: "fulfil",
      elicitationHosts: ["a.example", "b.example"],
      association: "inFlight",
      tools: false,
      tasks: false,
      reviewsCalls: true,
      shownTools: { allow: ["read_*", "list"], deny: ["*_all"] },
      holdSeconds: 1.5,
      tokenUsd: 0.5,
      command: "npx",
    });
  });

  test.each([
    ["C:\\tools\\server.CMD", "server"],
    ["./server/", "server"],
    ["server.js", "server.js"],
    [".exe", ".exe"],
  ])("names %s %s", (command, server) => {
    expect(readStdio(["--", command], env)).toMatchObject({ server });
  });

  test.each([
    ["", /command is missing/],
    ["--", /command is missing/],
    ["x", /behind --/],
    ["--mode fulfill -- x", /--mode must be/],
    ["--elicitation always -- x", /--elicitation must be/],
    ["--association newest -- x", /--association must be/],
    ["--url -- x", /no value/],
    ["--no-tools=yes -- x", /does not take/],
    ["--tokens free -- x", /--tokens must be an amount/],
    ["--tokens 0 -- x", /--tokens must be an amount/],
    ["--verbose -- x", /unknown option/],
  ])("refuses %j, and says why", (line, why) => {
    expect(read(line)).toMatchObject({ kind: "wrong", why: expect.stringMatching(why) });
  });

  test("has no option for the key, and repeats none that was put on the command line", () => {
    for (const line of ["--api-key secret-1 -- x", "--api-key=secret-1 -- x", "secret-1 -- x"]) {
      const wrong = read(line);
      expect(wrong).toMatchObject({ kind: "wrong" });
      expect(JSON.stringify(wrong)).not.toContain("secret-1");
    }
  });

  test("names the variable that is missing", () => {
    expect(read("-- x", { COUNTERSIGN_API_KEY: "k" })).toMatchObject({ why: expect.stringContaining("COUNTERSIGN_URL") });
    expect(read("--url http://x -- x", {})).toMatchObject({ why: expect.stringContaining("COUNTERSIGN_API_KEY") });
  });
});
