// What was decided about a run, signed, with the proof that the record has it; and the keys to
// check it with. For the key that made the run, for its reviewers, and for operators.

import { Hono } from "hono";
import * as z from "zod";
import { text, time } from "../../shared/json/answer-fields.ts";
import { readJsonOf } from "../../shared/json/json-of.ts";
import { receiptDecisions } from "../../shared/receipt/claims.ts";
import { checkReceipt } from "../../shared/receipt/token.ts";
import { parseRunId } from "../../shared/sealed-id.ts";
import { defaultCodec } from "../../shared/wire/mcp-codecs.ts";
import { iso } from "../http/iso-time.ts";
import { receiptOf, receiptCrypto, repliedIn } from "../pipeline/receipts.ts";
import { settingsOf } from "../platform/settings.ts";
import { paths, pathOfUrl } from "../platform/urls.ts";
import { forgetReceiptKeys, publishedKeys } from "../stores/receipt-keys.ts";
import type { EntryProof } from "../stubs/ledger-calls.ts";
import type { RunReceipt } from "../stubs/run-calls.ts";
import { configStub, ledgerShardOf, ledgerStub, runStub } from "../stubs/stubs.ts";
import { named } from "./answer-schema.ts";
import type { App, AppContext } from "./app-context.ts";
import { admittedReader } from "./inbox/admitted.ts";
import type { Reader } from "./inbox/reader.ts";
import { asJson, asPage, inPath, noGoodKey, rateLimited } from "./openapi/answers.ts";
import { describe } from "./openapi/describe.ts";
import { answerPage } from "./page-answer.ts";
import { noSuchLink } from "./review/review-link.ts";
import { runCaller } from "./runs.ts";
import { presentedKey } from "./auth.ts";

export const receiptRoutes = new Hono<App>();
export const receiptKeyRoutes = new Hono<App>();

const keySet = named("JwkSet", () => z.object({ keys: z.array(z.looseObject({ kid: text() })) }));

const jwks = describe("receiptKeys", {
  summary: "The public keys of receipts, old ones too; a revoked one says since when",
  200: asJson(keySet, "A JWK set (RFC 7517)"),
});

receiptRoutes.get(paths.jwks, jwks, async (c) => {
  const keys = await publishedKeys(c.env, Date.now());
  return c.json({ keys }, 200, { "Cache-Control": "public, max-age=300", "Access-Control-Allow-Origin": "*" });
});

const receiptAnswer = named("Receipt", () =>
  z.object({
    receipt: text(),
    /** Null: the record does not have it yet. */
    proof: z
      .object({
        shard: z.int(),
        index: z.int(),
        leaf: text(),
        text: text(),
        key: text(),
        /** For operators: what the log has. */
        entry: text().exactOptional(),
      })
      .nullable(),
  }),
);

const getReceipt = describe("getReceipt", {
  summary: "The receipt of a run, with the proof that the record has it; a page for a reviewer who is signed in",
  auth: "either",
  parameters: [inPath("run", "The run's id")],
  200: {
    description: "The receipt: as JSON with its proof, alone where `application/jose` is wanted, or as a page",
    bodies: [{ type: "application/json", schema: receiptAnswer }, { type: "application/jose" }, { type: "text/html" }],
  },
  401: noGoodKey,
  404: "No such run for this key or reader, or nothing of it is decided yet",
  429: rateLimited,
  503: "No key can sign now",
});

receiptRoutes.get(paths.receipt, getReceipt, async (c) => {
  const accept = c.req.header("Accept") ?? "";
  const run = c.req.param("run");
  if (presentedKey(c.req.raw.headers) === undefined && /\btext\/html\b/i.test(accept)) return receiptPage(c, run);
  const caller = await runCaller(c);
  if (caller instanceof Response) return caller;
  return answerReceipt(c, run, caller.key, /\bapplication\/jose\b/i.test(accept));
});

/** `key`: whose run it must be; null for an operator. */
async function answerReceipt(c: AppContext, run: string, key: string | null, isAlone: boolean): Promise<Response> {
  const found = await receiptIn(c, run);
  if (found === null || (key !== null && found.key !== key)) return c.json(unknown, 404, noStore);
  const signed = await signedReceipt(c, found);
  if (signed === null) return c.json({ error: "No key can sign now; try again in a minute" }, 503, noStore);
  const { receipt, proof } = signed;
  if (isAlone) return c.body(receipt, 200, { ...noStore, "Content-Type": "application/jose" });
  return c.json({ receipt, proof: proof === null ? null : proofIn(run, proof, key === null) }, 200, noStore);
}

const getRunReceipt = describe("getRunReceipt", {
  summary: "The receipt of a request, with the proof that the record has it",
  parameters: [inPath("id", "Its id in GET /admin/runs")],
  200: asJson(receiptAnswer, "The receipt"),
  404: "No such request, or nothing of it is decided yet",
  503: "No key can sign now",
});

receiptKeyRoutes.get(paths.admin.runReceipt, getRunReceipt, (c) => answerReceipt(c, c.req.param("id"), null, false));

const showReceipt = describe("showReceipt", {
  summary: "The receipt of a run, for a reviewer of it who is signed in",
  parameters: [inPath("run", "The run's id")],
  200: asPage("The page; for whoever is not signed in, the page to sign in"),
  404: asPage("There is nothing here for this reader"),
  429: asPage("Too many requests from one address"),
});

receiptRoutes.get(paths.inboxReceipt, showReceipt, (c) => receiptPage(c, c.req.param("run")));

const noStore = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };
const unknown = { error: "This key has no such run, or nothing of it is decided yet; runs are deleted after their retention time" };

const proofIn = (run: string, { index, leaf, proof, key, entry }: EntryProof, isOperator: boolean) => ({
  shard: ledgerShardOf(run),
  index,
  leaf,
  text: proof,
  key,
  ...(isOperator ? { entry } : {}),
});

/** Null: there is no such run, or nothing is decided. */
async function receiptIn(c: AppContext, run: string): Promise<RunReceipt | null> {
  if (parseRunId(settingsOf(c.env).keys, run) === undefined) return null;
  const found = await runStub(c.env, run).receipt();
  return found === null ? null : readJsonOf(found);
}

/** The receipt names the very entry that the proof is of. */
async function signedReceipt(
  c: AppContext,
  { facts, outcome }: RunReceipt,
): Promise<{ readonly receipt: string; readonly proof: EntryProof | null } | null> {
  const shard = ledgerShardOf(facts.run);
  const proof = await ledgerStub(c.env, shard).proof(facts.run);
  const place = proof === null ? null : { shard, index: proof.index, leaf: proof.leaf };
  const receipt = await receiptOf(c.env, facts, { ...(outcome === null ? {} : repliedIn(outcome, defaultCodec.encode)), place });
  return receipt === null ? null : { receipt, proof };
}

/** For a reviewer of the run, who is signed in to their inbox. */
async function receiptPage(c: AppContext, run: string): Promise<Response> {
  const reader = await admittedReader(c);
  if (reader instanceof Response) return reader;
  const found = (await isReviewer(c, run, reader)) ? await receiptIn(c, run) : null;
  const signed = found === null ? null : await signedReceipt(c, found);
  if (found === null || signed === null) return noSuchLink(c);
  const { facts } = found;
  const { receipt, proof } = signed;
  const now = Date.now();
  const terms = {
    issuer: settingsOf(c.env).publicUrl ?? "",
    audience: facts.server,
    now: null,
    request: null,
    decisions: receiptDecisions,
  };
  const verdict = await checkReceipt(receipt, { ...terms, keys: await publishedKeys(c.env, now) }, receiptCrypto);
  const input = {
    facts,
    receipt,
    claims: verdict.ok ? verdict.claims : null,
    proof: proof === null ? null : { shard: ledgerShardOf(run), index: proof.index, text: proof.proof },
    reader: reader.person.name,
    inbox: { path: pathOfUrl(reader.home), count: reader.count },
  };
  return answerPage(c, { kind: "receipt", input }, 200, { language: reader.person.language });
}

async function isReviewer(c: AppContext, run: string, { person }: Reader): Promise<boolean> {
  if (parseRunId(settingsOf(c.env).keys, run) === undefined) return false;
  const stub = runStub(c.env, run);
  const places = await Promise.all((["request", "response"] as const).map((gate) => stub.place(gate, person.name, person.email)));
  return places.some((place) => place !== null);
}

const madeKey = named("MadeReceiptKey", () => z.object({ kid: text(), signsAt: time() }));

const addKey = describe("addReceiptKey", {
  summary: "Makes the next key of receipts: published at once, it signs ten minutes later; the ones before stay published",
  201: asJson(madeKey, "The key's id, and when it begins to sign"),
});

receiptKeyRoutes.post(paths.admin.receiptKeys, addKey, async (c) => {
  const { kid, signsAt } = await configStub(c.env).addReceiptKey(c.var.operator);
  forgetReceiptKeys(c.env);
  return c.json({ kid, signsAt: iso(signsAt) }, 201, { "Cache-Control": "no-store" });
});

const revokeKey = describe("revokeReceiptKey", {
  summary: "Revokes a key of receipts: it signs nothing more within a minute, and no server that reads the set accepts its receipts",
  parameters: [inPath("kid", "The key's id")],
  204: "It is revoked",
  404: "No such key",
});

receiptKeyRoutes.delete(paths.admin.receiptKey, revokeKey, async (c) => {
  const isRevoked = await configStub(c.env).revokeReceiptKey(c.req.param("kid"), c.var.operator);
  forgetReceiptKeys(c.env);
  return isRevoked ? c.body(null, 204) : c.json({ error: "There is no such key; GET /.well-known/jwks.json lists the keys" }, 404);
});
