// One change of the routing table, made by a form: of the whole document, on top of the version
// that the form was made from.

import type { JsonObject } from "../../../../shared/json-types.ts";
import type { PointedError } from "../../../../shared/model/outcome.ts";
import { type Result, err } from "../../../../shared/result.ts";
import type { ApiError } from "../api.ts";
import { conflictShown } from "../documents/conflict-page.tsx";
import { type Document, findVersion, readDocument, textOf } from "../documents/document-api.ts";
import type { PageAnswer, Visit } from "../page.ts";
import type { RoutingWords } from "./routing-words.ts";

/**
 * The table of this version; where it is no longer kept, as it is now, so that the save is refused
 * as a conflict.
 */
export const tableOf = async (visit: Visit, version: number): Promise<JsonObject> =>
  (await findVersion(visit, "routing", version)) ?? readDocument(visit, "routing");

/** What the gateway would refuse of this table. Nothing is written. */
export async function issuesOf(visit: Visit, table: JsonObject): Promise<readonly PointedError[]> {
  const answer = await visit.api.send<{ readonly details: readonly PointedError[] }>("POST", "/admin/routing/check", table);
  return answer.ok ? answer.value.details : [{ pointer: "", message: answer.error.error }];
}

type Save = { readonly version: number; readonly table: JsonObject; readonly done: keyof RoutingWords["done"] };

/** The page that follows; an error for the form to show. */
export async function saveTable(visit: Visit, { version, table, done }: Save): Promise<Result<PageAnswer, ApiError>> {
  const saved = await visit.api.send<Document>("PUT", "/admin/routing", table, String(version));
  if (saved.ok) return { ok: true, value: { kind: "redirect", to: visit.at("routing", { done, version: saved.value.version }) } };
  if (saved.error.status !== 412) return err(saved.error);
  return { ok: true, value: await conflictShown(visit, { name: "routing", base: version, text: textOf(table) }) };
}
