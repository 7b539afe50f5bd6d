// The names of the review form's fields, and the submitted form. It decides nothing and checks no
// nonce.

import { err, ok, type Result } from "../result.ts";

/** Every `name` in the form. An edited text's name is `edit:` and its JSON pointer. */
export const formFields = {
  nonce: "nonce",
  version: "version",
  digest: "digest",
  act: "act",
  shown: "shown",
  note: "note",
  reason: "reason",
  model: "model",
  answer: "answer",
  to: "to",
  grant: "grant",
  grantHours: "grant-hours",
  grantUses: "grant-uses",
} as const;

/** The act of the form that asks for a new link, on the page of an expired one. */
export const renewAct = "renew";

const editPrefix = "edit:";

export const editField = (path: string): string => editPrefix + path;

/**
 * What the pressed button asks for. `approve` and `deny` decide. `answer` approves the reply that
 * the reviewer wrote in the model's place, `askModel` the request in place of a written reply.
 * `handOver` and `notMine` recuse the reviewer; `lift` puts a masked part back; `undoGrant` ends a
 * grant. Of a call `denyStop` denies it and stops its tool, and `undoStop` lets that go on. Of a
 * form `fill` sends the answer, and `dismiss` puts it away without one.
 */
type Act =
  | "approve"
  | "answer"
  | "askModel"
  | "deny"
  | "denyStop"
  | "preview"
  | "handOver"
  | "notMine"
  | "lift"
  | "undoGrant"
  | "undoStop"
  | "fill"
  | "dismiss";

/** What an approval, or a written reply, says of the changes that its reviewer was shown. */
export type PromisedChanges = {
  /** How many, by the button. */
  readonly count: number;
  /** `shownDigest` of those, or `shownLive`. Absent: the page showed none. */
  readonly shown?: string;
};

/** In place of a digest: the page's script showed each change as it stood in its field. */
export const shownLive = "live";

/** Which later requests a grant lets pass: identical ones, or any of the same shape. */
export const grantKinds = ["exact", "shape"] as const;
const grantScopes = ["session", "tool", "server", "key"] as const;

/** "Allow this in future": the grant that a reviewer asks for with an approval. */
export type GrantRequest = {
  readonly what: (typeof grantKinds)[number];
  readonly scope: (typeof grantScopes)[number];
  /** Of a call: the names of the arguments that must stay as they are. */
  readonly pinned?: readonly string[];
  /** 1 to 720. */
  readonly hours: number;
  /** 1 to 1,000. */
  readonly uses: number;
};

export type SubmittedForm = {
  readonly nonce: string;
  readonly version: number;
  readonly digest: string;
  readonly act: Act;
  /** With `approve` and `answer`: which changes the page showed. */
  readonly promised?: PromisedChanges;
  /** Trimmed, line ends as `\n`, 1 to 1,000 UTF-16 code units; absent where nothing was written. */
  readonly reason?: string;
  /** The id of the model that is to be asked first. The page always sends one. */
  readonly model?: string;
  /**
   * The reply that the reviewer wrote, whatever was pressed; line ends as `\n`. Absent where the
   * field is blank.
   */
  readonly answer?: string;
  /** With `handOver`: the name of the other reviewer. */
  readonly to?: string;
  /** With `handOver`: trimmed, as `reason`. */
  readonly note?: string;
  /** With `approve`. */
  readonly grant?: GrantRequest;
  /** With `lift`: the number of the redaction. */
  readonly lift?: number;
  /** Path to text as the browser sent it, for every field, changed or not. */
  readonly edits: ReadonlyMap<string, string>;
};

/** What is wrong with a form that our page would not send, without anything from the form. */
type FormError = { readonly kind: "missing" | "repeated" | "malformed" | "tooLong"; readonly field: string };

export const longestReason = 1_000;
export const longestNote = 1_000;

/** All but those that carry a number. */
const acts: readonly Act[] = ["askModel", "deny", "denyStop", "preview", "handOver", "notMine", "undoGrant", "undoStop", "fill", "dismiss"];
const counted = /^(approve|answer):(0|[1-9][0-9]{0,5})$/;
const lifting = /^lift:([1-9][0-9]{0,5})$/;
const shapes = {
  nonce: /^[A-Za-z0-9_.~-]{1,300}$/,
  version: /^[1-9][0-9]{0,8}$/,
  digest: /^[A-Za-z0-9_-]{1,100}$/,
};

/**
 * The value of the button that approves and gives the grant that the form has. No other button
 * gives one.
 */
export const allowAct = "allow";

/** The value of the Approve button of a page that shows this many changes. */
export const approveAct = (changes: number): string => `approve:${changes}`;

/**
 * The value of the button that sends the written reply of a page that shows this many changes: 1
 * where it shows the reply.
 */
export const answerAct = (changes: number): string => `answer:${changes}`;

/** The value of the button that lifts this redaction. */
export const liftAct = (mark: number): string => `lift:${mark}`;

/** Line ends as `\n`: HTML forms send `\r\n`. */
export const plainLineEnds = (text: string): string => text.replaceAll(/\r\n?/g, "\n");

/**
 * Reads the decoded fields of one POST. Refused: a missing or malformed `nonce`, `version` or
 * `digest`, a field that comes twice, an unknown act, a malformed grant. Unknown fields are
 * ignored. Without `act` (a script that submits the form presses no button) it is a preview, which
 * decides nothing. An approval is `approve:` and the number of changes that its page showed, or
 * `allow` with a grant; a written reply is `answer:` and that number. A lift is `lift:` and the
 * redaction's number.
 */
export function parseDecisionForm(fields: Iterable<[string, string]>): Result<SubmittedForm, FormError> {
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
  const isAllowing = asked === allowAct;
  const [, countedAct, number] = counted.exec(asked) ?? [];
  const count = isAllowing ? "0" : number;
  const mark = lifting.exec(asked)?.[1];
  const act =
    mark !== undefined
      ? "lift"
      : count === undefined
        ? acts.find((each) => each === asked)
        : countedAct === "answer"
          ? "answer"
          : "approve";
  if (act === undefined) return err({ kind: "malformed", field: "act" });
  const shown = plain.get(formFields.shown);
  if (shown !== undefined && !shapes.digest.test(shown)) return err({ kind: "malformed", field: "shown" });
  const reason = written(plain, formFields.reason);
  if (reason.length > longestReason) return err({ kind: "tooLong", field: "reason" });
  const note = act === "handOver" ? written(plain, formFields.note) : "";
  if (note.length > longestNote) return err({ kind: "tooLong", field: "note" });
  const model = plain.get(formFields.model);
  if (model !== undefined && (model === "" || model.length > 500)) return err({ kind: "malformed", field: "model" });
  const answer = plainLineEnds(plain.get(formFields.answer) ?? "");
  // The page always sends a reviewer for a hand-over, a note and a grant; each counts with its own
  // button alone.
  const to = act === "handOver" ? plain.get(formFields.to) : undefined;
  if (act === "handOver" && (to === undefined || to === "" || to.length > 80)) return err({ kind: "malformed", field: "to" });
  const grant = isAllowing ? parseGrant(plain) : ok(undefined);
  if (!grant.ok) return grant;

  return ok({
    nonce: plain.get(formFields.nonce) ?? "",
    version: Number(plain.get(formFields.version)),
    digest: plain.get(formFields.digest) ?? "",
    act,
    ...(count === undefined ? {} : { promised: { count: Number(count), ...(shown === undefined ? {} : { shown }) } }),
    ...(reason === "" ? {} : { reason }),
    ...(model === undefined ? {} : { model }),
    ...(answer.trim() === "" ? {} : { answer }),
    ...(to === undefined ? {} : { to }),
    ...(note === "" ? {} : { note }),
    ...(grant.value === undefined ? {} : { grant: grant.value }),
    ...(mark === undefined ? {} : { lift: Number(mark) }),
    edits,
  });
}

/** What somebody wrote in a field: trimmed, line ends as `\n`. */
const written = (plain: ReadonlyMap<string, string>, field: string): string => plainLineEnds(plain.get(field) ?? "").trim();

/** `grant` is a scope and a kind: `tool:shape`. */
function parseGrant(plain: ReadonlyMap<string, string>): Result<GrantRequest, FormError> {
  const text = plain.get(formFields.grant) ?? "";
  const [first, second] = text.split(":");
  const scope = grantScopes.find((each) => each === first);
  const what = grantKinds.find((each) => each === second);
  if (scope === undefined || what === undefined || text !== `${scope}:${what}`) return err({ kind: "malformed", field: "grant" });
  const hours = wholeNumber(plain.get(formFields.grantHours) ?? "24", longestGrantHours);
  if (hours === null) return err({ kind: "malformed", field: formFields.grantHours });
  const uses = wholeNumber(plain.get(formFields.grantUses) ?? "10", mostGrantUses);
  if (uses === null) return err({ kind: "malformed", field: formFields.grantUses });
  const pinned = [...plain.keys()].filter((name) => name.startsWith(pinPrefix)).map((name) => name.slice(pinPrefix.length));
  return ok({ what, scope, ...(pinned.length === 0 ? {} : { pinned }), hours, uses });
}

/** Before the name of an argument that must stay as it is. */
export const pinPrefix = "grant-pin-";

const longestGrantHours = 720;
export const mostGrantUses = 1_000;

function wholeNumber(text: string, most: number): number | null {
  const value = /^[1-9][0-9]{0,3}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= most ? value : null;
}

/** An error names our own fields only; any other name is text from outside. */
const knownName = (name: string): string => Object.values(formFields).find((known) => known === name) ?? "other";
