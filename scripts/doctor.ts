// Asks a gateway to check its configuration, and prints a line for each check: what works, what to
// know, and what needs fixing.
//
//   npm run doctor                                             (the gateway that npm start runs)
//   ADMIN_TOKEN=… npm run doctor -- --url https://gateway.example.com
//
// Exit codes: 0 nothing needs attention; 1 something does; 2 the gateway could not be asked.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { z } from "zod";
import { Unasked } from "../client/subcommand.ts";
import { type Check, report } from "../client/doctor/report.ts";
import { connectionChecks } from "./doctor-connections.ts";
import { type Target, targetOf } from "./target.ts";

const checkSchema = z.object({ check: z.string(), state: z.enum(["good", "note", "fix"]), text: z.string() });
const diagnosisSchema = z.object({ checks: z.array(checkSchema), publicUrl: z.string().nullable() });
const healthSchema = z.object({ status: z.enum(["ok", "degraded", "down"]), problems: z.array(z.string()) });
const contractSchema = z.object({ info: z.object({ title: z.string(), version: z.string() }) });

const usage = "usage: npm run doctor [-- --url https://gateway.example.com]";
const doctorPath = "/admin/doctor";
/**
 * For one small answer, and for all checks together, each of which has a timeout of its own in the
 * gateway.
 */
const answerMs = 15_000;
const diagnosisMs = 60_000;

/**
 * A response body as JSON, undefined where it is not JSON. Rejects where there is no response.
 * Redirects are not followed: the token is for this address.
 */
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

/**
 * The checks from outside, without the token. `goOn`: whether the gateway can be asked for its own.
 */
async function fromOutside(url: string): Promise<{ readonly checks: readonly Check[]; readonly goOn: boolean }> {
  const [health, contract] = await Promise.all([askOrUndefined(`${url}/healthz`), askOrUndefined(`${url}/openapi.json`)]);
  if (health === undefined)
    throw new Unasked(`nothing answers at ${url}: check that the gateway is running and that the address is correct`);
  const healthy = healthSchema.safeParse(health.body);
  const described = contractSchema.safeParse(contract?.body);
  if (!healthy.success || (described.success && described.data.info.title !== "Countersign")) {
    const redirected =
      health.status >= 300 && health.status < 400 ? `: it redirects (${health.status}), and redirects are not followed` : "";
    throw new Unasked(`the server at ${url} is not Countersign${redirected}; check the address`);
  }
  const { status, problems: issues } = healthy.data;
  if (status === "down")
    return { checks: issues.map((text) => ({ check: "gateway", state: "fix", text: `The gateway is down. ${text}.` })), goOn: false };
  // Without a description the response to /openapi.json was lost. The doctor's answer is checked in
  // any case.
  if (!described.success) return { checks: [], goOn: true };
  const { info } = described.data;
  const own = ownVersion();
  return info.version === own
    ? { checks: [{ check: "gateway", state: "good", text: `Countersign ${info.version} is running.` }], goOn: true }
    : {
        checks: [
          {
            check: "gateway",
            state: "note",
            text: `Countersign ${info.version} is running, and this checkout is ${own}: deploy this checkout, or run the doctor from that version.`,
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
  if (answer === undefined) throw new Unasked(`${url} answered at /healthz but not at ${doctorPath}: try again`);
  if (answer.status === 401) {
    throw new Unasked(
      `the gateway does not accept this ADMIN_TOKEN. For a local gateway use the value in .dev.vars (restart the gateway after a change); for a deployed one, the value given to \`npx wrangler secret put ADMIN_TOKEN\`. Set it as ADMIN_TOKEN in the environment, or unset ADMIN_TOKEN to use .dev.vars`,
    );
  }
  if (answer.status === 429)
    throw new Unasked("the gateway received too many wrong tokens from this address: wait a minute, then try again");
  const read = diagnosisSchema.safeParse(answer.body);
  if (answer.status !== 200 || !read.success)
    throw new Unasked(
      `the gateway answered ${answer.status} to ${doctorPath} in a form that this version cannot read: run the doctor from the version that is deployed`,
    );
  return read.data;
}

/**
 * Whether review links lead to a gateway. Checked from here, because a Worker cannot send a request
 * to itself.
 */
async function linksCheck(publicUrl: string | null, url: string): Promise<readonly Check[]> {
  if (publicUrl === null || publicUrl === url) return [];
  const answer = await askOrUndefined(`${publicUrl}/healthz`);
  if (answer !== undefined && healthSchema.safeParse(answer.body).success) return [];
  const text = `Review links begin with ${publicUrl}, and no gateway answers there: correct PUBLIC_URL, or the route that leads to the gateway.`;
  return [{ check: "links", state: "fix", text }];
}

const serversSchema = z.object({
  servers: z.record(
    z.string(),
    z.object({
      passAuthorization: z.boolean().optional(),
      connections: z.object({ reviewers: z.array(z.string()).optional() }).optional(),
    }),
  ),
});

/** The servers that people may connect clients to, by OAuth. */
async function connectable({ url, adminToken }: Target): Promise<string[]> {
  const answer = await ask(`${url}/admin/servers`, { headers: { Authorization: `Bearer ${adminToken}` } }).catch(() => undefined);
  const read = serversSchema.safeParse(answer?.body);
  if (!read.success) return [];
  return Object.entries(read.data.servers).flatMap(([name, { passAuthorization = false, connections }]) =>
    passAuthorization || connections?.reviewers?.length === 0 ? [] : [name],
  );
}

/** All checks of a gateway. @throws Unasked where it could not be asked. */
export async function diagnose(target: Target): Promise<readonly Check[]> {
  const { checks, goOn } = await fromOutside(target.url);
  if (!goOn) return checks;
  const { checks: inside, publicUrl } = await fromInside(target);
  const links = await linksCheck(publicUrl, target.url);
  // Where no gateway answers at PUBLIC_URL, that is what is to be fixed.
  const connections = publicUrl === null || links.length > 0 ? [] : await connectionChecks(publicUrl, await connectable(target));
  return [...checks, ...inside, ...links, ...connections];
}

async function main(): Promise<number> {
  try {
    const { values } = parseArgs({ options: { url: { type: "string" } }, strict: true });
    const target = await targetOf(values.url);
    console.log(`Countersign at ${target.url}\n`);
    const checks = await diagnose(target);
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
