// Each test's own objects and keys: what they are called begins with the test's number. Files of
// tests share a runtime, and what a test left under way must find neither the next test's objects
// nor its own again: an object of a test that is over is not made.

import { listDurableObjectIds } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import type { Env } from "../../../workers/platform/env.ts";
import { testIsOver } from "./in-flight.ts";

type Namespace = DurableObjectNamespace;

type Scope = {
  /** The bindings of the Worker and its objects, which are one object, as in an isolate. */
  readonly env: Env;
  /** The objects that may be made, by their ids, with their names. */
  readonly names: Map<string, string | undefined>;
  /** The platform's namespace behind each of the test's. */
  readonly platform: Map<object, Namespace>;
};

let scopes = 0;
let current = newScope();

/** What begins now is another test. */
export function beginScope(): void {
  current = newScope();
}

/** The bindings of the test that runs. */
export const scopedEnv = (): Env => current.env;

/** A class whose objects have the bindings of the test that asked for them first. */
export const scoped = <C extends new (ctx: DurableObjectState, env: Env) => object>(Class: C): C =>
  new Proxy(Class, {
    construct(of, [ctx]: [DurableObjectState], made: NewableFunction) {
      const { env, names } = current;
      const id = ctx.id.toString();
      if (!names.has(id)) throw testIsOver();
      Object.defineProperty(ctx.id, "name", { value: names.get(id), configurable: true });
      return Reflect.construct(of, [ctx, env], made) as InstanceType<C>; // `made` extends it
    },
  });

/** The ids of the test's objects in one of its namespaces. */
export async function idsOf(namespace: object): Promise<DurableObjectId[]> {
  const platform = current.platform.get(namespace);
  if (platform === undefined) throw new Error("idsOf: not a namespace of the test that runs");
  return (await listDurableObjectIds(platform)).filter((id) => current.names.has(id.toString()));
}

function newScope(): Scope {
  const prefix = `test-${(scopes += 1)} `;
  const names: Scope["names"] = new Map();
  const platform: Scope["platform"] = new Map();
  const env = { ...bindings, CONFIG: kvIn(prefix, bindings.CONFIG), FLOOD: rateLimitIn(prefix, bindings.FLOOD) };
  if (bindings.RECORD_BUCKET !== undefined) Object.assign(env, { RECORD_BUCKET: bucketIn(prefix, bindings.RECORD_BUCKET) });
  for (const [name, value] of Object.entries<unknown>({ ...bindings })) {
    if (!isNamespace(value) || name.startsWith("__")) continue;
    const own = namespaceIn(prefix, value, names);
    platform.set(own, value);
    Object.assign(env, { [name]: own });
  }
  return { env, names, platform };
}

/** Without asking it for anything: a service's binding has every property. */
function isNamespace(value: unknown): value is Namespace {
  return (
    typeof value === "object" &&
    value !== null &&
    String(Object.getPrototypeOf(value)?.constructor?.name).endsWith("DurableObjectNamespace")
  );
}

function namespaceIn(
  prefix: string,
  platform: Namespace,
  names: Scope["names"],
): Pick<Namespace, Exclude<keyof Namespace, "jurisdiction">> {
  const known = (id: DurableObjectId, name?: string): DurableObjectId => {
    names.set(id.toString(), name);
    return id;
  };
  const idFromName = (name: string): DurableObjectId => known(platform.idFromName(prefix + name), name);
  return {
    idFromName,
    newUniqueId: (options) => known(platform.newUniqueId(options)),
    idFromString: (id) => platform.idFromString(id),
    get: (id, options) => platform.get(id, options),
    getByName: (name, options) => platform.get(idFromName(name), options),
  };
}

function kvIn(prefix: string, platform: KVNamespace): KVNamespace {
  const own: Partial<Record<keyof KVNamespace, unknown>> = {
    get: (key: string, options: KVNamespaceGetOptions<"text">) => platform.get(prefix + key, options),
    put: (key: string, value: string, options?: KVNamespacePutOptions) => platform.put(prefix + key, value, options),
    delete: (key: string) => platform.delete(prefix + key),
    list: async (options: KVNamespaceListOptions = {}) => {
      const listed = await platform.list({ ...options, prefix: prefix + (options.prefix ?? "") });
      return { ...listed, keys: listed.keys.map((key) => ({ ...key, name: key.name.slice(prefix.length) })) };
    },
  };
  return own as KVNamespace; // with what is used of it
}

function bucketIn(prefix: string, platform: R2Bucket): R2Bucket {
  const own: Partial<Record<keyof R2Bucket, unknown>> = {
    get: (key: string) => platform.get(prefix + key),
    put: (key: string, value: string | ArrayBuffer, options?: R2PutOptions) => platform.put(prefix + key, value, options),
    delete: (keys: string | string[]) => platform.delete([keys].flat().map((key) => prefix + key)),
  };
  return own as R2Bucket; // with what is used of it
}

function rateLimitIn(prefix: string, platform: RateLimit): RateLimit {
  return { limit: ({ key }) => platform.limit({ key: prefix + key }) };
}
