// The documents of the configuration as their pages read them from the operator's API.

import { printDocument } from "../../../../shared/review/document-difference.ts";
import type { Document, Versions } from "../../../endpoints/admin/answers/documents.ts";
import { documentPaths } from "../../../platform/urls.ts";
import { type DocumentName, documentNames } from "../../../stubs/config-calls.ts";
import { fillText } from "../../sentence.tsx";
import type { Visit } from "../page.ts";
import type { DocumentsWords } from "./documents-words.ts";

export type { Document } from "../../../endpoints/admin/answers/documents.ts";
export type Version = Versions["versions"][number];

export const nameIn = (text: string | undefined): DocumentName | null => documentNames.find((name) => name === text) ?? null;

export const readDocument = (visit: Visit, name: DocumentName): Promise<Document> => visit.api.read(documentPaths(name).document);

/** One version; null where it is no longer kept. */
export const findVersion = (visit: Visit, name: DocumentName, version: number): Promise<Document | null> =>
  visit.api.find(documentPaths(name).version, { version });

export async function readVersions(visit: Visit, name: DocumentName): Promise<readonly Version[]> {
  return (await visit.api.read(documentPaths(name).versions)).versions;
}

/** The whole number that a field or a part of an address has; null for anything else. */
export const numberIn = (text: string | null | undefined): number | null =>
  text !== null && text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;

/** A form's text with the ends of lines that it was shown with. */
export const textIn = (visit: Visit): string => (visit.form.get("text") ?? "").replaceAll("\r\n", "\n");

export const textOf = (document: unknown): string => `${printDocument(document)}\n`;

export const versionName = ({ builtIn, version }: DocumentsWords, n: number): string => (n === 0 ? builtIn : fillText(version, { n }));
