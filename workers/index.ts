// The Worker: its routes, and the Durable Object classes that wrangler.toml names.

import { createHmac, hash } from "node:crypto";
import { useHashing } from "../shared/encoding.ts";
import { app } from "./app.ts";

useHashing({
  sha256: (text) => hash("sha256", text, "base64url"),
  hmacSha256: (key, bytes) => createHmac("sha256", key).update(bytes).digest(),
});

export { ConfigObject } from "./objects/config.ts";
export { KeyObject } from "./objects/key.ts";
export { LedgerObject } from "./objects/ledger.ts";
export { RunObject } from "./objects/run.ts";
export { SessionObject } from "./objects/session.ts";

export default app;
