// Where the references of a schema lead: the places of its `$id`s and anchors. Nothing outside of it is ever fetched.

import { isObject, pointerStep } from "../json/reading.ts";
import { err, ok, type Result } from "../result.ts";
import { subschemas, type Draft } from "./schema-keywords.ts";

export type Place = { readonly path: string; readonly value: unknown };

const outside = "leads out of this schema; only references within it are followed";
const nowhere = "leads to nothing in this schema";

/** Collected once; schemas within schemas are found by the keywords that hold them. */
export class SchemaPlaces {
  readonly #draft: Draft;
  /** By absolute reference: `id`, or `id#anchor`. */
  readonly #named = new Map<string, Place>();
  /** Every place with an id of its own, by path: what its references are relative to. The root is one, whatever it says. */
  readonly #bases = new Map<string, string>();

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  collect(root: unknown): { readonly path: string; readonly why: string }[] {
    const faults: { path: string; why: string }[] = [];
    this.#bases.set("", "");
    this.#named.set("", { path: "", value: root });
    const name = (reference: string, place: Place, keyword: string): void => {
      const known = this.#named.get(reference);
      if (known !== undefined && known.path !== place.path) faults.push({ path: `${place.path}/${keyword}`, why: "is given twice" });
      else this.#named.set(reference, place);
    };
    const visit = (value: unknown, path: string, outer: string): void => {
      if (!isObject(value)) return;
      const base = this.#nameOf(value, { path, value }, outer, name, faults);
      for (const [keyword, given] of Object.entries(value)) {
        const kind = subschemas.get(keyword);
        if (kind === undefined) continue;
        const here = path + pointerStep(keyword);
        if (Array.isArray(given)) for (const [i, each] of given.entries()) visit(each, `${here}/${i}`, base);
        else if (kind === "one" || kind === "items") visit(given, here, base);
        else if (isObject(given)) for (const [step, each] of Object.entries(given)) visit(each, here + pointerStep(step), base);
      }
    };
    visit(root, "", "");
    return faults;
  }

  #nameOf(
    value: { readonly [keyword: string]: unknown },
    place: Place,
    outer: string,
    name: (reference: string, place: Place, keyword: string) => void,
    faults: { path: string; why: string }[],
  ): string {
    const isOld = this.#draft === "4" || this.#draft === "7";
    let base = outer;
    const keyword = this.#draft === "4" ? "id" : "$id";
    const id = value[keyword];
    if (id !== undefined && !(isOld && value["$ref"] !== undefined)) {
      const [address = "", anchor = ""] = typeof id === "string" ? id.split("#") : [];
      if (typeof id !== "string" || (anchor !== "" && (!isOld || address !== "")))
        faults.push({ path: `${place.path}/${keyword}`, why: "must be an address without a fragment" });
      else if (anchor !== "") name(`${base}#${anchor}`, place, keyword);
      else if (address !== "") {
        base = absolute(address, outer);
        this.#bases.set(place.path, base);
        name(base, place, keyword);
      }
    }
    for (const anchoring of ["$anchor", "$dynamicAnchor"] as const) {
      const anchor = value[anchoring];
      if (anchor === undefined || isOld) continue;
      if (typeof anchor === "string" && /^[A-Za-z_][-A-Za-z0-9._]*$/u.test(anchor)) name(`${base}#${anchor}`, place, anchoring);
      else faults.push({ path: `${place.path}/${anchoring}`, why: "must be a name" });
    }
    return base;
  }

  /** The place that a `$ref` at `path` means; refused, with a sentence, where it is none of this schema. */
  resolve(reference: string, path: string): Result<Place, string> {
    const [address = "", fragment = "", ...more] = reference.split("#");
    const base = address === "" ? this.#baseOf(path) : absolute(address, this.#baseOf(path));
    const resource = this.#named.get(base);
    if (resource === undefined || more.length > 0) return err(outside);
    if (fragment === "") return ok(resource);
    if (!fragment.startsWith("/")) {
      const named = this.#named.get(`${base}#${fragment}`);
      return named === undefined ? err(nowhere) : ok(named);
    }
    let place = resource;
    for (const step of fragment.slice(1).split("/")) {
      const name = stepName(step);
      const { value } = place;
      if (name === undefined || typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return err(nowhere);
      place = { path: place.path + pointerStep(name), value: (value as { readonly [name: string]: unknown })[name] };
    }
    return ok(place);
  }

  #baseOf(path: string): string {
    for (let at = path; ; at = at.slice(0, at.lastIndexOf("/"))) {
      const base = this.#bases.get(at);
      if (base !== undefined) return base;
    }
  }
}

function stepName(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return undefined;
  }
}

/** RFC 3986 section 5.2 as far as names of schemas use it: no dot segments. */
function absolute(address: string, base: string): string {
  if (/^[A-Za-z][A-Za-z0-9+.-]*:/u.test(address)) return address;
  const [, authority = "", path = ""] = /^([A-Za-z][A-Za-z0-9+.-]*:(?:\/\/[^/?]*)?)?([^?]*)/u.exec(base) ?? [];
  if (address.startsWith("/")) return authority + address;
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  return authority + (folder === "" && authority !== "" ? "/" : folder) + address;
}
