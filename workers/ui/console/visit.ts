// What the gateway and the pages Worker say to each other for one visit to the console. The values
// are plain, because they cross a service binding; the API is a function that the gateway lends for
// the visit.

import type { Language } from "../../../shared/channels/words/languages.ts";
import type { Role } from "../../../shared/credential/operator-roles.ts";
import type { Operator } from "../../../shared/record/record.ts";

type Fields = readonly (readonly [string, string])[];

export type ConsoleVisit = {
  /** What stands behind the console's path: "" is the overview, `requests/run_…` one request. */
  readonly page: string;
  readonly query: Fields;
  /**
   * The fields of the form that was sent; null for a GET. The gateway has checked that it is a form
   * of this session.
   */
  readonly form: Fields | null;
  /** The path of the console, and of the inbox. */
  readonly base: string;
  readonly inbox: string;
  readonly publicUrl: string;
  readonly operator: Operator;
  readonly role: Role;
  /** False where Cloudflare Access signed the operator in: it signs them out, too. */
  readonly canSignOut: boolean;
  readonly formToken: string;
  /** Unix milliseconds. */
  readonly now: number;
  readonly cspNonce: string;
  readonly language: Language;
  /** The browser's time zone, an IANA name; null where its script has not said it yet. */
  readonly zone: string | null;
};

export type ConsoleAnswer =
  | { readonly kind: "html"; readonly status: number; readonly html: string }
  /** After a form that was carried out. `to`: a path of the console. */
  | { readonly kind: "redirect"; readonly to: string };

/** `path`: under /admin/, with its query. `body`: JSON. */
export type ApiCall = {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: string;
  readonly ifMatch?: string;
};

export type ApiAnswer = { readonly status: number; readonly text: string };

/** The operator's API, as the operator who visits. Good until the visit is answered. */
export type ConsoleApi = (call: ApiCall) => Promise<ApiAnswer>;
