// Asks a gateway to check its configuration, and prints a line for each check: what is well, what to know, and what to mend.
//
//   npm run doctor                                             (the gateway that npm start runs)
//   ADMIN_TOKEN=… npm run doctor -- --url https://gateway.example.com
//
// Exit codes: 0 nothing to mend; 1 something to mend; 2 the gateway could not be asked.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { z } from "zod";
import { gatewayOf } from "./data-folder.ts";
import { devVars } from "./dev-vars.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

const checkSchema = z.object({ check: z.string(), state: z.enum(["good", "note", "mend"]), text: z.string() });
const diagnosisSchema = z.object({ checks: z.array(checkSchema), publicUrl: z.string().nullable() });
const healthSchema = z.object({ status: z.enum(["ok", "degraded", "down"]), problems: z.array(z.string()) });
const contractSchema = z.object({ info: z.object({ title: z.string(), version: z.string() }), paths: z.record(z.string(), z.unknown()) });

export type Check = z.infer<typeof checkSchema>;

/** What keeps the gateway from being asked, in words for whoever runs this. */
class Unasked extends Error {}

const usage = "usage: npm run doctor [-- --url https://gateway.example.com]";
const doctorPath = "/admin/doctor";
/** For one small answer, and for all checks together, each of which has its own limit in the gateway. */
const answerMs = 15_000;
const diagnosisMs = 60_000;

type Target = { readonly url: string; readonly adminToken: string };

/** Without `given`, the gateway of this checkout. */
async function targetOf(given: string | undefined): Promise<Target> {
  const fromEnvironment = process.env["ADMIN_TOKEN"];
  if (given === undefined) {
    const folder = process.env["PERSIST_TO"] || ".countersign/state";
    const url = await gatewayOf(folder);
    if (url === null)
      throw new Unasked(
        `no gateway runs here: start one with npm start and leave it running, or name another with --url (looked in ${folder})`,
      );
    return { url, adminToken: fromEnvironment || localToken() || wantToken() };
  }
  const url = URL.parse(given);
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.search !== "" || url.hash !== "" || url.username !== "")
    throw new Unasked(`--url wants a plain address, such as https://gateway.example.com. ${usage}`);
  const isLocal = /^(localhost|127(\.\d{1,3}){3}|\[::1\]|.*\.localhost)$/.test(url.hostname);
  if (url.protocol === "http:" && !isLocal) throw new Unasked("--url must be https: over http anybody on the way could read ADMIN_TOKEN");
  return { url: url.href.replace(/\/+$/, ""), adminToken: fromEnvironment || (isLocal ? localToken() : undefined) || wantToken() };
}

/** The token in `.dev.vars`, which is not made here: a gateway that runs has read its own. */
function localToken(): string | undefined {
  if (!existsSync(join(root, ".dev.vars"))) return undefined;
  try {
    return devVars().ADMIN_TOKEN;
  } catch (error) {
    throw error instanceof Error ? new Unasked(error.message) : error;
  }
}

function wantToken(): never {
  throw new Unasked(
    "set ADMIN_TOKEN in the environment to the gateway's own: for a deployed one what `npx wrangler secret put ADMIN_TOKEN` was given, for a local one the line in .dev.vars",
  );
}

/** An answer as JSON; undefined where it is none. Rejects where nobody answers. Redirects are not followed: the token is for this address. */
async function ask(url: string, init: RequestInit = {}, timeoutMs = answerMs): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) };
  } catch {
    return { status: response.status, body: undefined };
  }
}

const askOrUndefined = (url: string) => ask(url).catch(() => undefined);

/** What is seen from outside, without the token. `goOn`: whether the gateway can be asked for more. */
async function fromOutside(url: string): Promise<{ readonly checks: readonly Check[]; readonly goOn: boolean }> {
  const [health, contract] = await Promise.all([askOrUndefined(`${url}/healthz`), askOrUndefined(`${url}/openapi.json`)]);
  if (health === undefined)
    throw new Unasked(`nothing answers at ${url}: see whether the gateway runs there, and whether the address is right`);
  const healthy = healthSchema.safeParse(health.body);
  const described = contractSchema.safeParse(contract?.body);
  if (!healthy.success || (described.success && described.data.info.title !== "Countersign")) {
    const redirected =
      health.status >= 300 && health.status < 400 ? `: it answers with a redirect (${health.status}), which is not followed` : "";
    throw new Unasked(`what answers at ${url} is not Countersign${redirected}; see whether the address is right`);
  }
  const { status, problems } = healthy.data;
  if (status === "down")
    return { checks: problems.map((text) => ({ check: "gateway", state: "mend", text: `It answers and is down. ${text}.` })), goOn: false };
  // Undescribed while it serves: an answer that was lost. The doctor's own answer is checked in any case.
  if (!described.success) return { checks: [], goOn: true };
  const { info, paths } = described.data;
  if (!(doctorPath in paths)) {
    const text = `It answers and is version ${info.version}, which has no doctor yet: deploy this checkout with \`npx wrangler deploy\`.`;
    return { checks: [{ check: "gateway", state: "mend", text }], goOn: false };
  }
  const own = ownVersion();
  return info.version === own
    ? { checks: [{ check: "gateway", state: "good", text: `It answers, and is Countersign ${info.version}.` }], goOn: true }
    : {
        checks: [
          {
            check: "gateway",
            state: "note",
            text: `It answers, and is Countersign ${info.version}, while this checkout is ${own}: deploy this one, or ask from the other.`,
          },
        ],
        goOn: true,
      };
}

const ownVersion = (): string =>
  z.object({ version: z.string() }).parse(JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))).version;

async function fromInside({ url, adminToken }: Target): Promise<z.infer<typeof diagnosisSchema>> {
  const init = { method: "POST", headers: { Authorization: `Bearer ${adminToken}` } };
  const answer = await ask(url + doctorPath, init, diagnosisMs).catch(() => undefined);
  if (answer === undefined) throw new Unasked(`${url} answers at /healthz and not at ${doctorPath}: try again`);
  if (answer.status === 401) {
    throw new Unasked(
      `the gateway does not accept this ADMIN_TOKEN. A local gateway's is in .dev.vars (start again after a change); a deployed one's is what \`npx wrangler secret put ADMIN_TOKEN\` was given. Set ADMIN_TOKEN in the environment to it, or unset it there`,
    );
  }
  if (answer.status === 429) throw new Unasked("the gateway has seen too many wrong tokens from this address: wait a minute");
  const read = diagnosisSchema.safeParse(answer.body);
  if (answer.status !== 200 || !read.success)
    throw new Unasked(`the gateway answered ${answer.status} to ${doctorPath}, with something that this version cannot read`);
  return read.data;
}

/** Whether links lead to a gateway, tried from here: a Worker cannot ask itself. */
async function linksCheck(publicUrl: string | null, url: string): Promise<readonly Check[]> {
  if (publicUrl === null || publicUrl === url) return [];
  const answer = await askOrUndefined(`${publicUrl}/healthz`);
  if (answer !== undefined && healthSchema.safeParse(answer.body).success) return [];
  const text = `Links to reviews begin with ${publicUrl}, where no gateway answers from here: correct PUBLIC_URL, or the route that leads to the gateway.`;
  return [{ check: "links", state: "mend", text }];
}

/** The lines of a report: what is well first, what to mend last. `columns`: where lines are broken between words; undefined: nowhere. */
export function report(checks: readonly Check[], columns?: number): { readonly text: string; readonly exitCode: 0 | 1 } {
  const of = (state: Check["state"]): readonly Check[] => checks.filter((check) => check.state === state);
  const fixes = of("mend");
  const width = Math.max(0, ...checks.map(({ check }) => check.length));
  const lines = [...of("good"), ...of("note"), ...fixes].map(({ check, state, text }) => {
    const start = `${state === "mend" ? "MEND" : state}  ${check.padEnd(width)}  `;
    return start + wrapped(text, start.length, columns);
  });
  const count = fixes.length === 0 ? "Nothing to mend." : fixes.length === 1 ? "One thing to mend." : `${fixes.length} things to mend.`;
  return { text: [...lines, "", count].join("\n"), exitCode: fixes.length === 0 ? 0 : 1 };
}

/** Too narrow for columns of their own, words go as they go. */
const leastText = 30;

function wrapped(text: string, indent: number, columns: number | undefined): string {
  if (columns === undefined || columns - indent < leastText) return text;
  const lines: string[] = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line === "") lines[lines.length - 1] = word;
    else if (indent + line.length + 1 + word.length <= columns) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.join(`\n${" ".repeat(indent)}`);
}

async function main(): Promise<number> {
  try {
    const { values } = parseArgs({ options: { url: { type: "string" } }, strict: true });
    const target = await targetOf(values.url);
    console.log(`Countersign at ${target.url}\n`);
    const outside = await fromOutside(target.url);
    const checks = [...outside.checks];
    if (outside.goOn) {
      const { checks: inside, publicUrl } = await fromInside(target);
      checks.push(...inside, ...(await linksCheck(publicUrl, target.url)));
    }
    const { text, exitCode } = report(checks, process.stdout.isTTY ? process.stdout.columns : undefined);
    console.log(text);
    return exitCode;
  } catch (error) {
    if (!(error instanceof Unasked) && !(error instanceof TypeError && "code" in error)) throw error;
    console.error(error instanceof Unasked ? `npm run doctor: ${error.message}.` : usage);
    return 2;
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) process.exitCode = await main();
