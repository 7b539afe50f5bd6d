// Where the references of a schema lead: the places of its `$id`s and anchors. Nothing outside the
// schema is ever fetched.

import { pointerStep } from "../json/issue-collector.ts";
import { err, ok, type Result } from "../result.ts";
import type { Draft } from "./schema-keywords.ts";

type Place = { readonly path: string; readonly value: unknown };

const outside = "points outside this schema; only references within it are followed";
const nowhere = "points to nothing in this schema";

/** Collects while the schema is walked, and resolves when the walk is done. */
export class SchemaPlaces {
  readonly #draft: Draft;
  readonly #report: (path: string, why: string) => void;
  /** By absolute reference: `id`, or `id#anchor`. */
  readonly #named = new Map<string, Place>();
  /**
   * What references are relative to, by path: each place with an id of its own, and the root,
   * whatever its id.
   */
  readonly #bases = new Map([["", ""]]);

  constructor(draft: Draft, root: unknown, report: (path: string, why: string) => void) {
    this.#draft = draft;
    this.#report = report;
    this.#named.set("", { path: "", value: root });
  }

  /**
   * Records the id and the anchors of the schema at this place. The schemas around it must be
   * collected first.
   */
  collect(place: Place, value: { readonly [keyword: string]: unknown }): void {
    const { path } = place;
    const isOld = this.#draft === "4" || this.#draft === "7";
    const keyword = this.#draft === "4" ? "id" : "$id";
    const id = value[keyword];
    if (id !== undefined && !(isOld && value["$ref"] !== undefined)) {
      const [address = "", anchor = ""] = typeof id === "string" ? id.split("#") : [];
      if (typeof id !== "string" || (anchor !== "" && (!isOld || address !== "")))
        this.#report(`${path}/${keyword}`, "must be an address without a fragment");
      else if (anchor !== "") this.#name(`${this.#baseOf(path)}#${anchor}`, place, keyword);
      else if (address !== "") {
        const base = absolute(address, this.#baseOf(path));
        this.#bases.set(path, base);
        this.#name(base, place, keyword);
      }
    }
    for (const anchoring of isOld ? [] : ["$anchor", "$dynamicAnchor"]) {
      const anchor = value[anchoring];
      if (typeof anchor === "string" && /^[A-Za-z_][-A-Za-z0-9._]*$/u.test(anchor))
        this.#name(`${this.#baseOf(path)}#${anchor}`, place, anchoring);
      else if (anchor !== undefined) this.#report(`${path}/${anchoring}`, "must be a name");
    }
  }

  #name(reference: string, place: Place, keyword: string): void {
    const known = this.#named.get(reference);
    if (known !== undefined && known.path !== place.path) this.#report(`${place.path}/${keyword}`, "is given twice");
    else this.#named.set(reference, place);
  }

  /**
   * The place that a `$ref` at `path` refers to; refused, with a sentence, where it is none of this
   * schema.
   */
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
