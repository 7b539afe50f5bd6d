// The files of the record's log, as C2SP `tlog-tiles` names them: whoever has the public key
// verifies the log with them. They are the operator's, or anybody's where RECORD_PUBLIC is `on`.

import { Hono, type MiddlewareHandler } from "hono";
import type { AppContext, App } from "./app-context.ts";
import { requireAdmin } from "./auth.ts";
import { paths } from "../platform/urls.ts";
import type { SignedCheckpoint } from "../stubs/ledger-calls.ts";
import { ledgerShards, ledgerStub } from "../stubs/stubs.ts";
import { adminRefusals, asText, inPath } from "./openapi/answers.ts";
import { describe, saying } from "./openapi/describe.ts";

export const recordFileRoutes = new Hono<App>();

/** The public key, as `signed-note` hands it on. */
const keyHeader = "Countersign-Record-Key";

const mayRead: MiddlewareHandler<App> = saying((c, next) => (c.env.RECORD_PUBLIC === "on" ? next() : requireAdmin(c, next)), {
  auth: "admin",
  ...adminRefusals,
});

const ofShard = inPath("shard", `The log's number, from 0 to ${ledgerShards - 1}`);

/** The shard of the path; null where there is none of this number. */
function shardOf(c: AppContext): number | null {
  const text = c.req.param("shard") ?? "";
  return /^(?:0|[1-9]\d?)$/.test(text) && Number(text) < ledgerShards ? Number(text) : null;
}

const nothing = { error: "The record has no such file" };

const checkpoint = describe("recordCheckpoint", {
  summary: "How many entries a log of the record has, and the hash of its tree, signed; the key is in a header",
  parameters: [ofShard],
  200: { ...asText("text/plain", "A checkpoint after C2SP tlog-checkpoint"), headers: { [keyHeader]: "The key to verify it with" } },
  404: "No such log",
  503: "The key that signs cannot be read now",
});

recordFileRoutes.get(paths.recordCheckpoint, checkpoint, mayRead, async (c) => {
  const shard = shardOf(c);
  if (shard === null) return c.json(nothing, 404);
  const signed = await ledgerStub(c.env, shard).checkpoint();
  if (signed === null) return c.json({ error: "The record's key cannot be read: set CONTENT_KEY_PREVIOUS to the key before" }, 503);
  return sendNote(c, signed);
});

const sendNote = (c: AppContext, { note, key }: SignedCheckpoint): Response =>
  c.body(note, 200, {
    "Content-Type": "text/plain; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    [keyHeader]: key,
  });

const cosigned = describe("recordCosigned", {
  summary: "The last checkpoint of a log that the witness cosigned",
  parameters: [ofShard],
  200: {
    ...asText("text/plain", "A checkpoint after C2SP tlog-checkpoint, with a signature after tlog-cosignature"),
    headers: { [keyHeader]: "The key to verify it with" },
  },
  404: "No such log, or none of it is cosigned",
});

recordFileRoutes.get(paths.recordCosigned, cosigned, mayRead, async (c) => {
  const shard = shardOf(c);
  const signed = shard === null ? null : await ledgerStub(c.env, shard).cosigned();
  return signed === null ? c.json(nothing, 404) : sendNote(c, signed);
});

const tile = describe("recordTile", {
  summary: "A tile of a log's tree, or a bundle of its entries",
  parameters: [ofShard, inPath("path", "Level and number of a tile or bundle, and its width where it is not full: 0/x001/067.p/8")],
  200: asText("application/octet-stream", "32 bytes for each hash of a tile; in a bundle each entry behind its length in two bytes"),
  404: "No such file, or none any more",
});

recordFileRoutes.get(paths.recordTile, tile, mayRead, async (c) => {
  const shard = shardOf(c);
  const bytes = shard === null ? null : await ledgerStub(c.env, shard).file(`tile/${c.req.param("path")}`);
  if (bytes === null) return c.json(nothing, 404);
  const whose = c.env.RECORD_PUBLIC === "on" ? "public" : "private";
  return c.body(new Uint8Array(bytes), 200, {
    "Content-Type": "application/octet-stream",
    "Cache-Control": `${whose}, max-age=86400, immutable`,
    "X-Content-Type-Options": "nosniff",
  });
});
