import { describe, expect, test } from "vitest";
import { readCommandLine } from "../../../client/stdio/command-line.ts";

const env = { COUNTERSIGN_URL: "https://gateway.example.com", COUNTERSIGN_API_KEY: "key" };
const read = (text: string, variables: Record<string, string> = env) => readCommandLine(text.split(" ").filter(Boolean), variables);

describe("the command line of countersign stdio", () => {
  test("takes the server's command behind --, with every argument as it is", () => {
    expect(readCommandLine(["stdio", "--", "/usr/bin/some-server.exe", "--url", "x", "--", "--help"], env)).toEqual({
      kind: "run",
      stdio: {
        url: env.COUNTERSIGN_URL,
        apiKey: "key",
        server: "some-server",
        mode: "fulfil",
        association: "auto",
        tools: true,
        tasks: true,
        holdSeconds: 50,
        command: "/usr/bin/some-server.exe",
        args: ["--url", "x", "--", "--help"],
      },
    });
  });

  test("takes every option, and --url before the environment", () => {
    const line =
      "stdio --url http://localhost:8787 --server=notes --mode fallback --association inFlight --no-tools --no-tasks --hold 1.5 -- npx -y notes";
    expect(read(line)).toMatchObject({
      stdio: {
        url: "http://localhost:8787",
        server: "notes",
        mode: "fallback",
        association: "inFlight",
        tools: false,
        tasks: false,
        holdSeconds: 1.5,
        command: "npx",
      },
    });
  });

  test.each([
    ["C:\\tools\\server.CMD", "server"],
    ["./server/", "server"],
    ["server.js", "server.js"],
    [".exe", ".exe"],
  ])("names %s %s", (command, server) => {
    expect(readCommandLine(["stdio", "--", command], env)).toMatchObject({ stdio: { server } });
  });

  test("knows help and version, and does not take the server's for its own", () => {
    for (const line of ["--help", "-h", "stdio --help", "stdio -h"]) expect(read(line, {})).toEqual({ kind: "help" });
    for (const line of ["--version", "stdio --version"]) expect(read(line, {})).toEqual({ kind: "version" });
    expect(read("stdio -- x --help")).toMatchObject({ kind: "run" });
  });

  test.each([
    ["", /only one is stdio/],
    ["studio -- x", /only one is stdio/],
    ["stdio", /command is missing/],
    ["stdio --", /command is missing/],
    ["stdio x", /behind --/],
    ["stdio --mode fulfill -- x", /--mode must be/],
    ["stdio --association newest -- x", /--association must be/],
    ["stdio --url -- x", /no value/],
    ["stdio --no-tools=yes -- x", /does not take/],
    ["stdio --verbose -- x", /unknown option/],
  ])("refuses %j, and says why", (line, why) => {
    const read = readCommandLine(line.split(" ").filter(Boolean), env);
    expect(read).toMatchObject({ kind: "wrong", why: expect.stringMatching(why) });
  });

  test("has no option for the key, and repeats none that was put on the command line", () => {
    for (const line of ["stdio --api-key secret-1 -- x", "stdio --api-key=secret-1 -- x", "stdio secret-1 -- x"]) {
      const wrong = read(line);
      expect(wrong.kind).toBe("wrong");
      expect(JSON.stringify(wrong)).not.toContain("secret-1");
    }
  });

  test("names the variable that is missing", () => {
    expect(read("stdio -- x", { COUNTERSIGN_API_KEY: "k" })).toMatchObject({ why: expect.stringContaining("COUNTERSIGN_URL") });
    expect(read("stdio --url http://x -- x", {})).toMatchObject({ why: expect.stringContaining("COUNTERSIGN_API_KEY") });
  });
});
