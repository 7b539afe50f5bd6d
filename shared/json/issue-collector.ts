// The errors of a JSON value from outside, collected while it is read (fields.ts). Messages say
// what is expected and never quote what was sent.

/**
 * `pointer` is a JSON pointer (RFC 6901) into the params; `message` is one plain sentence without
 * content.
 */
export type ParamsError = { readonly pointer: string; readonly message: string };

/**
 * Why the params of a sampling request, or of a request about one, are refused. Every kind is
 * -32602 on the wire.
 */
export type ParamsRefusal =
  | { readonly kind: "invalid"; readonly errors: readonly ParamsError[] }
  | { readonly kind: "toolResultMissing"; readonly pointer: string }
  | { readonly kind: "toolResultsMixed"; readonly pointer: string };

/**
 * Errors beyond these are not looked for: a body of a million wrong messages must not become a
 * million errors in memory.
 */
export const MAX_ERRORS = 50;

/** The most pointers to ignored members that are reported. */
const mostIgnored = 20;
/** UTF-16 units. A longer name is not repeated in a pointer. */
const longestName = 128;

/** One step of a JSON pointer, escaped (RFC 6901 section 3). */
export const pointerStep = (name: string): string => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** The pointer of a path, up to the first name that is too long to repeat. */
export function boundedPointerTo(path: readonly (string | number)[]): string {
  const end = path.findIndex((step) => typeof step === "string" && step.length > longestName);
  return (end === -1 ? path : path.slice(0, end)).map((step) => pointerStep(String(step))).join("");
}

export class IssueCollector {
  readonly found: ParamsError[] = [];
  /** Members that no shape names, in the order in which they were met. */
  readonly ignored: string[] = [];

  /** True once `MAX_ERRORS` are found; loops over lists from outside stop then. */
  get full(): boolean {
    return this.found.length >= MAX_ERRORS;
  }

  add(pointer: string, message: string): void {
    if (!this.full) this.found.push({ pointer, message });
  }

  ignore(at: string, name: string): void {
    if (this.ignored.length < mostIgnored && name.length <= longestName) this.ignored.push(at + pointerStep(name));
  }

  /** All errors as one refusal; undefined where there are none. */
  invalid(): ParamsRefusal | undefined {
    return this.found.length === 0 ? undefined : { kind: "invalid", errors: this.found };
  }
}
