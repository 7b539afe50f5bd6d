// The names of the review form's fields, and the form as it comes back. It reads; it decides nothing and checks no nonce.

import { err, ok, type Result } from "../result.ts";

/** Every `name` in the form. An edited text's name is `edit:` and the JSON pointer of its place in the content. */
export const formFields = { nonce: "nonce", version: "version", digest: "digest", act: "act", reason: "reason", model: "model" } as const;

const editPrefix = "edit:";

export const editField = (path: string): string => editPrefix + path;

/** What the pressed button asks for. Only `approve` and `deny` decide. */
export type Act = "approve" | "deny" | "preview";

export type SubmittedForm = {
  readonly nonce: string;
  readonly version: number;
  readonly digest: string;
  readonly act: Act;
  /** Trimmed, line ends as `\n`, 1 to 1,000 UTF-16 code units; absent where nothing was written. */
  readonly reason?: string;
  /** The id of the model that the reviewer wants first. The page always has one chosen: the first, unless another was picked. */
  readonly model?: string;
  /** Path to text as the browser sent it, for every field on the page, changed or not. */
  readonly edits: ReadonlyMap<string, string>;
};

/** What is wrong with a form that no page of ours sends. Never carries what was in it. */
export type FormFault = { readonly kind: "missing" | "repeated" | "malformed" | "tooLong"; readonly field: string };

export const longestReason = 1_000;

const acts: readonly Act[] = ["approve", "deny", "preview"];
const shapes = {
  nonce: /^[A-Za-z0-9_.~-]{1,300}$/,
  version: /^[1-9][0-9]{0,8}$/,
  digest: /^[A-Za-z0-9_-]{1,100}$/,
};

/** Line ends as `\n`: HTML forms turn every one of them into `\r\n`. */
export const plainLineEnds = (text: string): string => text.replaceAll(/\r\n?/g, "\n");

/**
 * Reads the decoded fields of one POST. `nonce`, `version` and `digest` must be there and look like ours; no field may
 * come twice; others are ignored. Without `act` (a script that submits the form presses no button) it is a preview, which
 * decides nothing. An unknown act is refused.
 */
export function parseDecisionForm(fields: Iterable<[string, string]>): Result<SubmittedForm, FormFault> {
  const plain = new Map<string, string>();
  const edits = new Map<string, string>();
  for (const [name, value] of fields) {
    const isEdit = name.startsWith(editPrefix);
    const into = isEdit ? edits : plain;
    const key = isEdit ? name.slice(editPrefix.length) : name;
    if (into.has(key)) return err({ kind: "repeated", field: isEdit ? "edit" : knownName(name) });
    into.set(key, value);
  }

  for (const field of ["nonce", "version", "digest"] as const) {
    const value = plain.get(formFields[field]);
    if (value === undefined) return err({ kind: "missing", field });
    if (!shapes[field].test(value)) return err({ kind: "malformed", field });
  }
  const asked = plain.get(formFields.act) ?? "preview";
  const act = acts.find((each) => each === asked);
  if (act === undefined) return err({ kind: "malformed", field: "act" });
  const reason = plainLineEnds(plain.get(formFields.reason) ?? "").trim();
  if (reason.length > longestReason) return err({ kind: "tooLong", field: "reason" });
  const model = plain.get(formFields.model);
  if (model !== undefined && (model === "" || model.length > 500)) return err({ kind: "malformed", field: "model" });

  return ok({
    nonce: plain.get(formFields.nonce) ?? "",
    version: Number(plain.get(formFields.version)),
    digest: plain.get(formFields.digest) ?? "",
    act,
    ...(reason === "" ? {} : { reason }),
    ...(model === undefined ? {} : { model }),
    edits,
  });
}

/** A fault may name our own fields only; any other name is text from outside. */
const knownName = (name: string): string => Object.values(formFields).find((known) => known === name) ?? "other";
