// `countersign verify`: whether a receipt in a file holds, and what it says.

import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { objectOf, parseJson } from "../../shared/json/values.ts";
import { receiptDecisions } from "../../shared/receipt/claims.ts";
import { Unasked, endedWith, isWrongUse, readArguments, type Subcommand, wrongUse } from "../subcommand.ts";
import { type ReceiptClaims, type ReceiptError, verifyReceipt } from "../verify-receipt.ts";

const USAGE = `Usage: countersign verify <file> --issuer <address> --audience <server> [options]

Checks the signature of a receipt, and prints what it says. The file has the receipt, or the JSON of GET /receipts/{run}.
Expiry and reuse are not checked: a receipt that is kept stays true, and must not be acted on again.

  --issuer <address>       the gateway's PUBLIC_URL; by default $COUNTERSIGN_URL
  --audience <server>      the server's name at the gateway
  --request <file>         what the server got, as JSON with method and params: is the receipt of it?
  --keys <file>            the gateway's JWK set, to check offline; by default it is asked for it
  --help, --version

Exit codes: 0 the receipt holds; 1 it does not; 2 it could not be checked.
`;

const errors: Readonly<Record<ReceiptError, string>> = {
  malformed: "it is not a receipt",
  unknownKey: "no key of the gateway has its id",
  revokedKey: "its key was revoked",
  badSignature: "the signature is not of this key",
  otherIssuer: "it is of another gateway",
  otherAudience: "it is for another server",
  notYetValid: "it is from the future",
  expired: "it has expired",
  notApproved: "it is of another decision",
  otherMode: "it was decided in another way",
  otherRequest: "it is of another request",
  otherReply: "it is of another reply",
  usedBefore: "it was used before",
};

export const verify: Subcommand = {
  summary: "checks a receipt, and prints what was decided",
  usage: USAGE,
  read: (args, env) => {
    const options = {
      issuer: { type: "string" },
      audience: { type: "string" },
      keys: { type: "string" },
      request: { type: "string" },
    } as const;
    const read = readArguments(() => parseArgs({ args: [...args], options, allowPositionals: true, strict: true }));
    if (isWrongUse(read)) return read;
    const [file, ...more] = read.positionals;
    const { issuer = env["COUNTERSIGN_URL"] ?? "", audience = "", keys, request } = read.values;
    if (file === undefined || more.length > 0) return wrongUse("give one file with a receipt.");
    if (issuer === "" || audience === "") return wrongUse("give --issuer and --audience.");
    return async () => {
      const known = keys === undefined ? {} : { keys: (JSON.parse(await textOf(keys)) as { keys: [] }).keys };
      const compared = request === undefined ? null : requestIn(await textOf(request));
      const expected = { issuer: issuer.replace(/\/$/, ""), audience, now: null, request: compared, decisions: receiptDecisions, ...known };
      const verdict = await verifyReceipt(receiptIn(await textOf(file)), expected).catch((error: Error) => {
        throw new Unasked(error.message);
      });
      process.stdout.write(
        verdict.ok ? `The receipt holds.\n\n${report(verdict.claims)}` : `The receipt does not hold: ${errors[verdict.error]}.\n`,
      );
      return endedWith(verdict.ok ? 0 : 1);
    };
  },
};

const textOf = (file: string): Promise<string> =>
  readFile(file, "utf8").catch(() => {
    throw new Unasked("the file cannot be read");
  });

function requestIn(text: string): { readonly method: string; readonly params: unknown } {
  const { method, params } = objectOf(parseJson(text)) ?? {};
  if (typeof method !== "string") throw new Unasked("the request has to be JSON with method and params");
  return { method, params };
}

function receiptIn(text: string): string {
  try {
    const { receipt } = JSON.parse(text) as { readonly receipt?: unknown };
    return typeof receipt === "string" ? receipt : "";
  } catch {
    return text.trim();
  }
}

function report({ reviewers, ...claims }: ReceiptClaims): string {
  const time = (seconds: number): string => new Date(seconds * 1000).toISOString();
  const edits = [...(claims.edited.request ? ["request"] : []), ...(claims.edited.reply ? ["reply"] : [])];
  const lines: readonly (readonly [string, string | undefined])[] = [
    ["what", `${claims.method} ${claims.name} at ${claims.aud}`],
    ["decision", `${claims.decision}${edits.length > 0 ? `, ${edits.join(" and ")} edited` : ""}, ${time(claims.iat)}`],
    ["mode", claims.mode],
    ...reviewers.map((each) => ["by", `${each.id} (${each.amr}), ${each.gate} ${each.decision} ${time(each.at)}`] as const),
    ["rule", `${claims.policy.rule}, policy ${claims.policy.version}`],
    ["run", claims.jti],
    ["request", claims.request.jcs],
    ...Object.entries(claims.request.inputResponses ?? {}).map(([key, said]) => ["answer", `${said} (${key})`] as const),
    ["reply", claims.reply?.jcs],
    ["record", claims.log === undefined ? undefined : `entry ${claims.log.index} of log ${claims.log.shard}`],
    ["until", time(claims.exp)],
  ];
  // Names in a receipt are the gateway's: no control character of one may reach the terminal.
  return lines.flatMap(([name, said]) => (said === undefined ? [] : [`${name.padEnd(9)} ${said.replaceAll(/\p{C}/gu, "?")}\n`])).join("");
}
