// Signs the checkpoints of a shard's log. The log's name is the gateway's address and the shard, as
// they were at its first checkpoint: a log keeps its name.

import { fromBase64url } from "../../../shared/encoding.ts";
import { signCheckpoint } from "../../../shared/record/log/checkpoint.ts";
import type { Tree } from "../../../shared/record/log/merkle.ts";
import type { NoteKey } from "../../../shared/record/log/signed-note.ts";
import type { Env } from "../../platform/env.ts";
import { settingsOf } from "../../platform/settings.ts";
import { configStub } from "../../stubs/stubs.ts";
import type { RecordLog } from "./record-log.ts";

type CheckpointSigner = { readonly key: NoteKey; readonly sign: (tree: Tree) => Promise<string> };

export class LogCheckpoints {
  readonly #env: Env;
  readonly #log: RecordLog;
  #signer: CheckpointSigner | null = null;

  constructor(env: Env, log: RecordLog) {
    this.#env = env;
    this.#log = log;
  }

  /** Null where the key cannot be read. */
  async signer(): Promise<CheckpointSigner | null> {
    this.#signer ??= await this.#make();
    return this.#signer;
  }

  async #make(): Promise<CheckpointSigner | null> {
    const stored = await configStub(this.#env).recordKey();
    const [secret, publicKey] = [stored?.secret, stored?.publicKey].map((text) => fromBase64url(text ?? ""));
    if (stored === null || secret === undefined || publicKey === undefined) return null;
    const signing = await crypto.subtle.importKey("pkcs8", secret, "Ed25519", false, ["sign"]);
    const key = { name: this.#origin(), publicKey };
    const sign = async (text: Uint8Array): Promise<Uint8Array> => new Uint8Array(await crypto.subtle.sign("Ed25519", signing, text));
    return { key, sign: (tree) => signCheckpoint(tree, key, sign) };
  }

  #origin(): string {
    const { origin, shard } = this.#log.state();
    if (origin !== null) return origin;
    const { publicUrl } = settingsOf(this.#env);
    const named = `${publicUrl === undefined ? "countersign" : publicUrl.replace(/^https?:\/\//, "")}/record/${shard}`;
    this.#log.setState({ origin: named });
    return named;
  }
}
