// The documents of the configuration as their pages read them from the operator's API.

import type { JsonObject } from "../../../../shared/json-types.ts";
import type { Operator } from "../../../../shared/record/record.ts";
import { printDocument } from "../../../../shared/review/document-difference.ts";
import { type DocumentName, documentNames } from "../../../stubs/config-calls.ts";
import type { Visit } from "../page.ts";

/** A document with its version, as GET and PUT have it. */
export type Document = JsonObject & { readonly version: number };

/** As GET /admin/{name}/versions has it. */
export type Version = {
  readonly version: number;
  readonly at: string;
  readonly by: Operator;
  readonly restored: number | null;
};

export const nameIn = (text: string | undefined): DocumentName | null => documentNames.find((name) => name === text) ?? null;

export const readDocument = (visit: Visit, name: DocumentName): Promise<Document> => visit.api.read<Document>(`/admin/${name}`);

/** One version; null where it is no longer kept. */
export const findVersion = (visit: Visit, name: DocumentName, version: number): Promise<Document | null> =>
  visit.api.find<Document>(`/admin/${name}/versions/${version}`);

export async function readVersions(visit: Visit, name: DocumentName): Promise<readonly Version[]> {
  return (await visit.api.read<{ readonly versions: readonly Version[] }>(`/admin/${name}/versions`)).versions;
}

/** The whole number that a field or a part of an address has; null for anything else. */
export const numberIn = (text: string | null | undefined): number | null =>
  text !== null && text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;

/** A form's text with the ends of lines that it was shown with. */
export const textIn = (visit: Visit): string => (visit.form.get("text") ?? "").replaceAll("\r\n", "\n");

export const textOf = (document: unknown): string => `${printDocument(document)}\n`;
