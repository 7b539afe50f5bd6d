// The sealed value of a Slack button and a modal's private metadata: which review, which version,
// which act. It grants nothing: who may decide is judged when it comes back. No clock, no storage.

import type { Gate } from "../../model/gate.ts";
import { concatBytes, fromBase64url, toBase64url } from "../../encoding.ts";
import { type SigningKeys, runRandomLength, seal, unseal } from "../../sealed-id.ts";
import { linkRandomLength } from "../../review/link.ts";

const domain = "countersign/slack-reference/v1";
const formatVersion = 1;
const gates = ["request", "response"] as const satisfies readonly Gate[];
/**
 * The order is part of the format: append only. The acts of buttons come first, then those of the
 * modals.
 */
export const slackActs = ["approve", "deny", "edit", "submitDenial", "submitEdit"] as const;
export type SlackAct = (typeof slackActs)[number];

export type SlackReference = {
  readonly runRandom: Uint8Array;
  readonly gate: Gate;
  /** The id (`linkId`) of the message's link. */
  readonly link: string;
  /** The version and digest that the message showed. */
  readonly version: number;
  readonly digest: string;
  readonly act: SlackAct;
};

const digestLength = 32;
const payloadLength = 1 + runRandomLength + 1 + 1 + 4 + linkRandomLength + digestLength;

/**
 * One base64url run of 112 characters: a button's value may have 2,000, a modal's private metadata
 * 3,000.
 */
export function slackReference(keys: SigningKeys, { runRandom, gate, link, version, digest, act }: SlackReference): string {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, version);
  const payload = concatBytes(
    Uint8Array.of(formatVersion),
    runRandom,
    Uint8Array.of(gates.indexOf(gate), slackActs.indexOf(act)),
    bytes,
    fromBase64url(link) ?? new Uint8Array(),
    fromBase64url(digest) ?? new Uint8Array(),
  );
  if (payload.length !== payloadLength) throw new Error("slackReference: parts of the wrong size");
  return seal(keys, domain, payload);
}

/** The content of a genuine reference; undefined alike for forged, damaged and foreign ones. */
export function parseSlackReference(keys: SigningKeys, text: string): SlackReference | undefined {
  const payload = unseal(keys, domain, text, payloadLength);
  if (payload === undefined || payload[0] !== formatVersion) return undefined;
  const gate = gates[payload[17] ?? -1];
  const act = slackActs[payload[18] ?? -1];
  if (gate === undefined || act === undefined) return undefined;
  return {
    runRandom: payload.slice(1, 17),
    gate,
    act,
    version: new DataView(payload.buffer, payload.byteOffset).getUint32(19),
    link: toBase64url(payload.subarray(23, 23 + linkRandomLength)),
    digest: toBase64url(payload.subarray(23 + linkRandomLength)),
  };
}
