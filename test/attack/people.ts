// Requestors and reviewers in one line each: sampling requests, the reviews that they open, and a
// page's form as a browser posts it.

import { formNonce, nonceRandomLength } from "../../shared/review/link.ts";
import { signingKey } from "../../shared/sealed-id.ts";
import type { Notice } from "../../scripts/operator.ts";
import { pressButton, readForm } from "../../scripts/page-form.ts";
import { InboxPerson } from "../outside/support/inbox-person.ts";
import { until } from "../outside/support/raw-client.ts";
import { type Answer, type World, secrets } from "./world.ts";

let count = 0;

export type Sampling = {
  readonly id?: unknown;
  readonly session?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly originating?: unknown;
  readonly text?: string;
  readonly params?: object;
  readonly meta?: object;
};

/** A `sampling/createMessage`; what is not given is new each time. */
export function samplingMessage({ id, session, server = "open", tool = "summarize", originating = 7, text, params, meta }: Sampling = {}) {
  count += 1;
  return {
    jsonrpc: "2.0",
    id: id ?? `request-${count}`,
    method: "sampling/createMessage",
    params: {
      messages: [{ role: "user", content: { type: "text", text: text ?? `Question ${count}` } }],
      maxTokens: 50,
      ...params,
      _meta: {
        "countersign/session": session ?? `sess-${count}`,
        "countersign/originatingRequest": { id: originating, method: "tools/call", name: tool, server },
        ...meta,
      },
    },
  };
}

export type RpcAnswer = {
  readonly id?: unknown;
  readonly result?: { readonly content?: unknown; readonly _meta?: Readonly<Record<string, { readonly id?: string }>> } & Record<
    string,
    unknown
  >;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Readonly<Record<string, unknown>> };
};

/** An answer's body as JSON-RPC. White space that kept the connection open is no part of it. */
export const rpcOf = (answer: Answer): RpcAnswer => (answer.json ?? {}) as RpcAnswer; // looked at member by member

export const sample = (world: World, sampling: Sampling = {}, key: string = world.ann.key): Promise<Answer> =>
  world.ask("/sampling", { key, body: samplingMessage(sampling) });

/** What /admin/notices lists, with links of the outbox. */
export async function notices(world: World): Promise<Notice[]> {
  const answer = await world.admin("/notices?limit=500");
  return ((answer.json ?? { notices: [] }) as { readonly notices: Notice[] }).notices; // the contract's
}

export type Opened = {
  readonly run: string;
  readonly link: string;
  /** The caller, who holds the line. */
  readonly answer: Promise<Answer>;
  /** Links of all its reviewers, by name. */
  readonly links: ReadonlyMap<string, string>;
};

type Whom = { readonly key?: string; readonly reviewers?: number; readonly gate?: Notice["gate"] };

/** Sends a request that a person has to decide, and waits until each reviewer has a link. */
export const opened = (world: World, sampling: Sampling = {}, { key = world.ann.key, ...whom }: Whom = {}): Promise<Opened> =>
  openedBy(world, () => sample(world, { server: "request-gate", ...sampling }, key), whom);

/** The review that a request opens, whoever sends it in whatever way. */
export async function openedBy(
  world: World,
  send: () => Promise<Answer>,
  { reviewers = 1, gate = "request" }: Omit<Whom, "key"> = {},
): Promise<Opened> {
  const before = new Set((await notices(world)).map(({ run }) => run));
  const answer = send();
  let ended: Answer | undefined;
  answer.then((value) => (ended = value)).catch(() => {});
  const run = await until("a new review", async () => {
    if (ended !== undefined) throw new Error(`nobody was asked: ${ended.status} ${ended.text}`);
    return (await notices(world)).find((each) => !before.has(each.run) && each.gate === gate)?.run;
  });
  return { ...(await reviewOf(world, run, gate, reviewers)), answer };
}

/** The review of this run at this gate, once each of its reviewers has a link. */
export async function reviewOf(world: World, run: string, gate: Notice["gate"], reviewers = 1): Promise<Omit<Opened, "answer">> {
  const found = await until("its links", async () => {
    const mine = (await notices(world)).filter((each) => each.run === run && each.gate === gate && each.link !== null);
    return mine.length >= reviewers ? mine : null;
  });
  const links = new Map(found.map(({ reviewer, link }) => [reviewer, link ?? ""]));
  return { run, link: found[0]?.link ?? "", links };
}

export const pathOf = (link: string): string => new URL(link).pathname;
export const tokenOf = (link: string): string => link.slice(link.lastIndexOf("/") + 1);

/**
 * The page's form as it would be sent untouched, with a nonce that is two seconds old: nobody waits
 * for it.
 */
export async function formOf(world: World, link: string): Promise<URLSearchParams | null> {
  const page = await world.ask(pathOf(link), { key: null });
  const form = readForm(page.text, link);
  if (form === null) return null;
  form.fields.set("nonce", agedNonce(link, form.fields, 2_000));
  return form.fields;
}

/** The nonce that a page of `link` made this long ago. */
export function agedNonce(link: string, fields: URLSearchParams, ageMs: number, secret: string = secrets.link): string {
  const subject = { token: tokenOf(link), version: Number(fields.get("version")), digest: fields.get("digest") ?? "" };
  return formNonce([signingKey(secret)], subject, Date.now() - ageMs, crypto.getRandomValues(new Uint8Array(nonceRandomLength)));
}

export const postForm = (
  world: World,
  link: string,
  fields: URLSearchParams | string,
  headers: Readonly<Record<string, string>> = { "Sec-Fetch-Site": "same-origin" },
): Promise<Answer> =>
  world.ask(pathOf(link), {
    method: "POST",
    key: null,
    body: String(fields),
    headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
  });

/** Opens the page and presses a button of it. 0 where there is no form. */
export async function press(
  world: World,
  link: string,
  act: string,
  change: (fields: URLSearchParams) => void = () => {},
): Promise<Answer> {
  const fields = await formOf(world, link);
  if (fields === null) return { status: 0, headers: new Headers(), text: "no form", json: undefined };
  const untouched = new URLSearchParams(fields);
  change(fields);
  pressButton(act, untouched, fields);
  return postForm(world, link, fields);
}

export type RunState = { readonly id: string; readonly state: string; readonly status: string };

export async function runOf(world: World, run: string, key: string = world.ann.key): Promise<RunState> {
  return (await world.ask(`/runs/${run}`, { key })).json as RunState; // the contract's
}

/** Events of a run: each fact's kind, oldest first. */
export async function factsOf(world: World, run: string): Promise<({ readonly kind: string } & Record<string, unknown>)[]> {
  const { text } = await world.admin(`/record?run=${run}`);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { readonly run: string; readonly fact: { readonly kind: string } & Record<string, unknown> }) // the record's
    .filter((event) => event.run === run)
    .map(({ fact }) => fact);
}

const decisions = new Set(["approved", "denied", "voted", "edited"]);

/** Whether nobody has decided anything about this run. */
export async function isUndecided(world: World, { run, link }: Pick<Opened, "run" | "link">): Promise<boolean> {
  if ((await factsOf(world, run)).some(({ kind }) => decisions.has(kind))) return false;
  return (await formOf(world, link)) !== null;
}

/** The requests to the provider whose body has this text. */
export const callsWith = (world: World, text: string): number =>
  world.model.requests.filter(({ body }) => JSON.stringify(body).includes(JSON.stringify(text).slice(1, -1))).length;

/** An envelope of the control endpoint. */
export function envelope(more: { readonly prompt?: string; readonly [member: string]: unknown } = {}): object {
  count += 1;
  const { prompt = `Question ${count}`, ...rest } = more;
  return {
    protocol_version: "1.0",
    request_id: `envelope-${count}`,
    model: { name: "first" },
    task: { type: "text_generation", parameters: { prompt } },
    ...rest,
  };
}

const signedInPeople = new WeakMap<World, Map<string, Promise<InboxPerson>>>();

/** The person of this address, signed in to their inbox once for all attacks. */
export function signedIn(world: World, address = "ada@example.org"): Promise<InboxPerson> {
  const known = signedInPeople.get(world) ?? new Map<string, Promise<InboxPerson>>();
  signedInPeople.set(world, known);
  const person = new InboxPerson(world.url);
  const signing = known.get(address) ?? person.signIn(world.mail, address).then(() => person);
  known.set(address, signing);
  return signing;
}
