// Writes a document as an operator wants it, on top of the version that it was made from.

import { type Result, ok } from "../../../../shared/result.ts";
import { documentPaths } from "../../../platform/urls.ts";
import type { DocumentName } from "../../../stubs/config-calls.ts";
import type { ApiError } from "../api.ts";
import type { PageAnswer, Visit } from "../page.ts";
import { renderConflict } from "./conflict-page.tsx";
import { textOf } from "./document-api.ts";

type Save = {
  readonly name: DocumentName;
  /** The version that it was made from. */
  readonly base: number;
  readonly document: unknown;
  /** As the operator wrote it, where that is a text. */
  readonly text?: string;
  /** API keys that it cuts off are not asked about again. */
  readonly mayCutOff?: boolean;
  /** In place of the page of both changes. */
  readonly conflict?: () => Promise<PageAnswer>;
  readonly to: (version: number) => string;
};

/**
 * The page that follows: the next one, or both changes where somebody saved first. An error for the
 * form to show.
 */
export async function saveDocument(
  visit: Visit,
  {
    name,
    base,
    document,
    text = textOf(document),
    mayCutOff = false,
    conflict = () => renderConflict(visit, { name, base, text }),
    to,
  }: Save,
): Promise<Result<PageAnswer, ApiError>> {
  const query = mayCutOff ? { cutOffKeys: "yes" } : {};
  const saved = await visit.api.send("PUT", documentPaths(name).document, { query, body: document, ifMatch: base });
  if (saved.ok) return ok({ kind: "redirect", to: to(saved.value.version) });
  return saved.error.status === 412 ? ok(await conflict()) : saved;
}
