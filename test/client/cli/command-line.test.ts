import { describe, expect, test } from "vitest";
import { readCommandLine } from "../../../client/cli/command-line.ts";
import { subcommands } from "../../../client/cli/subcommands.ts";

const env = { COUNTERSIGN_URL: "https://gateway.example.com", COUNTERSIGN_API_KEY: "key", ADMIN_TOKEN: "token" };
const read = (text: string, variables: Record<string, string> = env) => readCommandLine(text.split(" ").filter(Boolean), variables);

describe("the command line of countersign", () => {
  test("describes every subcommand in its help, and each has a help of its own", async () => {
    const overview = await read("--help", {});
    expect(await read("-h", {})).toEqual(overview);
    for (const [name, load] of Object.entries(subcommands)) {
      const { summary, usage } = await load();
      expect(overview).toMatchObject({ kind: "help", usage: expect.stringMatching(new RegExp(`^ {2}${name} +\\S`, "m")) });
      expect(overview).toMatchObject({ usage: expect.stringContaining(summary) });
      expect(usage).toMatch(new RegExp(`^Usage: countersign ${name} `));
      for (const line of [`${name} --help`, `${name} -h`, `${name} --nonsense --help`])
        expect(await read(line, {})).toEqual({ kind: "help", usage });
      expect(await read(`${name} --version`, {})).toEqual({ kind: "version" });
    }
    expect(await read("--version", {})).toEqual({ kind: "version" });
  });

  test("leaves what stands behind -- to the server", async () => {
    expect(await read("stdio -- x --help")).toMatchObject({ kind: "run" });
    expect(await read("stdio -- x --version")).toMatchObject({ kind: "run" });
  });

  test.each([
    ["", /^a subcommand is missing; there are stdio, .* and \w+\.$/, "countersign <subcommand>"],
    ["studio -- x", /^unknown subcommand; there are stdio, /, "countersign <subcommand>"],
    ["toString", /^unknown subcommand/, "countersign <subcommand>"],
    ["--url x stdio", /^unknown option/, "countersign <subcommand>"],
    ["stdio --verbose -- x", /^unknown option\.$/, "countersign stdio"],
    ["stdio", /command is missing/, "countersign stdio"],
    ["review --verbose", /^unknown option\.$/, "countersign review"],
    ["review --url", /no value/, "countersign review"],
    ["review https://gateway.example.com/r/a https://gateway.example.com/r/b", /one link at most/, "countersign review"],
    ["review https://gateway.example.com/r/a --url https://gateway.example.com", /not both/, "countersign review"],
    ["review nonsense", /not a review's link/, "countersign review"],
    ["doctor --verbose", /^unknown option\.$/, "countersign doctor"],
    ["doctor secret-1", /^unexpected argument\.$/, "countersign doctor"],
  ])("refuses %j, says why and how it is used", async (line, why, usage) => {
    const wrong = await read(line);
    expect(wrong).toMatchObject({ kind: "wrong", why: expect.stringMatching(why), usage: expect.stringContaining(`Usage: ${usage}`) });
    if (wrong.kind === "wrong") expect(wrong.why).not.toContain("secret-1");
  });

  test.each([
    ["stdio -- x", { COUNTERSIGN_URL: "", COUNTERSIGN_API_KEY: "k" }, "COUNTERSIGN_URL"],
    ["stdio -- x", { COUNTERSIGN_URL: "http://x" }, "COUNTERSIGN_API_KEY"],
    ["review", {}, "COUNTERSIGN_URL"],
    ["review", { COUNTERSIGN_URL: "http://x" }, "ADMIN_TOKEN"],
    ["doctor", {}, "COUNTERSIGN_URL"],
  ])("%s: names the variable that is missing", async (line, variables, name) => {
    expect(await read(line, variables)).toMatchObject({ kind: "wrong", why: expect.stringContaining(name) });
  });

  test.each([
    ["review", "http://gateway.example.com", /must be https: ADMIN_TOKEN would be sent/],
    ["doctor", "http://gateway.example.com", /must be https: the API key would be sent/],
    ["doctor", "https://user:password@gateway.example.com", /must be a plain http or https address/],
  ])("%s at %s: sends nothing", async (name, url, words) => {
    const line = await read(name, { ...env, COUNTERSIGN_URL: url });
    await expect(line.kind === "run" ? line.run() : line).rejects.toThrow(words);
  });
});
