/** A sentence for each plural that a language has (`Intl.PluralRules`), with {n}. */
export type PluralForms = { readonly one?: string; readonly other: string };
