// What a page of the console is: it reads the operator's API, and then says what it shows. Reading
// may wait; rendering never does.

import type { Child } from "hono/jsx";
import type { Language } from "../../../shared/channels/words/languages.ts";
import type { Role } from "../../../shared/credential/operator-roles.ts";
import { useLanguage } from "../language.ts";
import type { Api } from "./api.ts";
import type { ConsoleVisit } from "./visit.ts";

/** One text in each language: a missing one does not compile. */
export type InLanguages<T> = Readonly<Record<Language, T>>;

/** The texts in the language of the page that is being rendered. Called by components alone. */
export const useTexts = <T>(texts: InLanguages<T>): T => texts[useLanguage()];

export type Visit = Omit<ConsoleVisit, "query" | "form"> & {
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly api: Api;
  /** Whether the operator's role is this one or a higher one. The API asks again. */
  readonly may: (needed: Role) => boolean;
  /**
   * The path of a page of the console: `at("requests", { state: "failed" })`. Members that are null
   * or "" are left out.
   */
  readonly at: (page: string, query?: Readonly<Record<string, string | number | null>>) => string;
};

export type PageAnswer =
  | {
      readonly kind: "page";
      readonly status?: number;
      readonly title: string;
      readonly body: () => Child;
      /** A constant of ours, without any content. It runs after the console's own script. */
      readonly script?: string;
    }
  /** A part of a page, for the page's script. It is under the same Content-Security-Policy. */
  | { readonly kind: "part"; readonly body: () => Child }
  | { readonly kind: "redirect"; readonly to: string }
  | { readonly kind: "notFound" };

export type ConsolePage = {
  /**
   * The name of the page, as addresses have it: "" is the overview. `*` at the end: what follows is
   * in `visit.page`.
   */
  readonly path: string;
  readonly get: (visit: Visit) => Promise<PageAnswer>;
  /** Absent: the page has no form. It answers with a redirect where something was done. */
  readonly post?: (visit: Visit) => Promise<PageAnswer>;
};
