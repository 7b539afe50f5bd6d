// npm run audit: compares the installed packages with npm's advisories. An accepted advisory is in
// docs/audit-exceptions.json, with its reason and a last day.
//
// Exit codes: 0 nothing is open, or the registry did not answer (it says which); 1 an advisory is
// open, or an exception is over.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const root = fileURLToPath(new URL("..", import.meta.url));

const exceptionsSchema = z.strictObject({
  exceptions: z.array(
    z.strictObject({
      /** The advisory's id, such as GHSA-xxxx-xxxx-xxxx. */
      advisory: z.string().regex(/^GHSA(-[0-9a-z]{4}){3}$/),
      package: z.string().min(1),
      /** Why it does no harm here. */
      reason: z.string().min(20),
      /** The last day: then somebody looks again. */
      until: z.iso.date(),
    }),
  ),
});

export type Exception = z.infer<typeof exceptionsSchema>["exceptions"][number];

/** What of npm's report is read (auditReportVersion 2). */
const reportSchema = z.object({
  auditReportVersion: z.literal(2),
  vulnerabilities: z.record(
    z.string(),
    z.object({
      via: z.array(z.union([z.string(), z.object({ name: z.string(), title: z.string(), url: z.string(), severity: z.string() })])),
    }),
  ),
});

export type Verdict =
  /** `lines`: what to print, a line for each advisory and exception. */
  | { readonly kind: "checked"; readonly open: number; readonly lines: readonly string[] }
  | { readonly kind: "notChecked"; readonly why: string };

/**
 * Judges the output of `npm audit --json`. What is no report is no finding: the registry did not
 * answer. `today` is a day, as `2026-11-23`.
 */
export function judgeAudit(output: string, exceptions: readonly Exception[], today: string): Verdict {
  let json: unknown;
  try {
    json = JSON.parse(output);
  } catch {
    return { kind: "notChecked", why: "npm audit printed no report" };
  }
  const report = reportSchema.safeParse(json);
  if (!report.success) return { kind: "notChecked", why: messageIn(json) };
  const advisories = new Map(
    Object.values(report.data.vulnerabilities)
      .flatMap(({ via }) => via)
      .flatMap((each) => (typeof each === "string" ? [] : [[each.url.split("/").at(-1) ?? each.url, each] as const])),
  );
  const lines: string[] = [];
  let open = 0;
  for (const [id, { name, title, severity }] of advisories) {
    const exception = exceptions.find((each) => each.advisory === id && each.package === name);
    const isAccepted = exception !== undefined && exception.until >= today;
    if (!isAccepted) open += 1;
    const state =
      exception === undefined
        ? "open"
        : isAccepted
          ? `accepted until ${exception.until}: ${exception.reason}`
          : `its exception ended on ${exception.until}`;
    lines.push(`${id} (${severity}) in ${name}: ${title}: ${state}`);
  }
  for (const { advisory, package: name } of exceptions)
    if (!advisories.has(advisory)) lines.push(`${advisory} in ${name}: no such advisory any more; remove its exception`);
  return { kind: "checked", open, lines };
}

const messageIn = (json: unknown): string => {
  const found = z.object({ message: z.string() }).safeParse(json);
  return found.success ? found.data.message.slice(0, 300) : "npm audit printed no report that this command knows";
};

/** The exceptions as they are written. Throws where one lacks its reason or its day. */
export const readExceptions = (text: string): readonly Exception[] => exceptionsSchema.parse(JSON.parse(text)).exceptions;

function main(): void {
  const exceptions = readExceptions(readFileSync(join(root, "docs/audit-exceptions.json"), "utf8"));
  const { stdout } = spawnSync("npm", ["audit", "--json"], {
    cwd: root,
    encoding: "utf8",
    shell: process.platform === "win32",
    timeout: 120_000,
  });
  const verdict = judgeAudit(stdout ?? "", exceptions, new Date().toISOString().slice(0, 10));
  if (verdict.kind === "notChecked") {
    console.log(
      `npm audit: NOTHING WAS CHECKED, because the registry did not answer (${verdict.why}). This is no failure, and no all-clear.`,
    );
    return;
  }
  for (const line of verdict.lines) console.log(line);
  console.log(`npm audit: ${verdict.open} open advisories, ${exceptions.length} exceptions.`);
  if (verdict.open > 0) process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
