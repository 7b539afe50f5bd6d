// What is wrong with a JSON value from outside, gathered while it is read (fields.ts). Messages say what is expected and never quote what
// was sent.

/** `pointer` is a JSON pointer (RFC 6901) into the params; `message` is one plain sentence without content. */
export type ParamsError = { readonly pointer: string; readonly message: string };

/** Why the params of a sampling request, or of a request about one, are refused. Every kind is -32602 on the wire. */
export type ParamsRefusal =
  | { readonly kind: "invalid"; readonly errors: readonly ParamsError[] }
  | { readonly kind: "toolResultMissing"; readonly pointer: string }
  | { readonly kind: "toolResultsMixed"; readonly pointer: string };

/** Errors beyond these are not looked for: a body of a million wrong messages must not become a million errors in memory. */
export const MAX_ERRORS = 50;

/** As many pointers to ignored members are told; longer names are not repeated. */
const mostIgnored = 20;
const longestIgnoredName = 128;

/** One step of a JSON pointer, escaped (RFC 6901 section 3). */
export const pointerStep = (name: string): string => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

export class IssueCollector {
  readonly found: ParamsError[] = [];
  /** Members that no shape names, in the order in which they were met. */
  readonly ignored: string[] = [];

  /** True once enough errors stand; loops over lists from outside stop then. */
  get full(): boolean {
    return this.found.length >= MAX_ERRORS;
  }

  add(pointer: string, message: string): void {
    if (!this.full) this.found.push({ pointer, message });
  }

  ignore(at: string, name: string): void {
    if (this.ignored.length < mostIgnored && name.length <= longestIgnoredName) this.ignored.push(at + pointerStep(name));
  }

  /** Everything that is wrong, as one fault; undefined where nothing is. */
  invalid(): ParamsRefusal | undefined {
    return this.found.length === 0 ? undefined : { kind: "invalid", errors: this.found };
  }
}
