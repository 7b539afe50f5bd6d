// Answers of the documents of the configuration.

import * as z from "zod";
import { count, list, pointed, text, time } from "../../../../shared/json/answer-fields.ts";
import type { JsonObject } from "../../../../shared/json-types.ts";
import { type AnswerOf, named, versioned } from "../../answer-schema.ts";

/** A document as it was written, with its version. */
export type Document = JsonObject & { readonly version: number };
export const documentAnswer = named("Document", () => versioned<Document>());

/** `version`: the current one, `current`: its document. */
export const versionConflict = named("Conflict", () => z.object({ error: text(), version: count(), current: documentAnswer.schema() }));
export type VersionConflict = AnswerOf<typeof versionConflict>;

const operator = () =>
  z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("adminToken"), fingerprint: text() }),
    z.object({ kind: z.literal("access"), email: text() }),
    z.object({ kind: z.literal("issuer"), issuer: text(), email: text() }),
    z.object({ kind: z.literal("inbox"), email: text() }),
  ]);

/** `restored`: the version that was written again. */
export const versions = named("Versions", () =>
  z.object({ versions: list(z.object({ version: count(), at: time(), by: operator(), restored: count().nullable() })) }),
);
export type Versions = AnswerOf<typeof versions>;

/** A key that a policy would refuse, and the rule that bars it. */
const keyCutOff = () => z.object({ id: text(), name: text(), owner: text().nullable(), rule: text() });
export type KeyCutOff = AnswerOf<typeof keyCutOff>;

export const keysCutOff = named("CutOff", () => z.object({ error: text(), keys: list(keyCutOff()) }));
export type KeysCutOff = AnswerOf<typeof keysCutOff>;

export const documentCheck = named("DocumentCheck", () =>
  z.object({
    valid: z.boolean(),
    details: list(pointed()),
    /** Of a policy alone. */
    keysCutOff: list(keyCutOff()).exactOptional(),
  }),
);
export type DocumentCheck = AnswerOf<typeof documentCheck>;
