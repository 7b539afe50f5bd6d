// The fields of an answer, for the zod schema that describes it. Schemas of answers are functions:
// each is made when somebody asks for the description, and not by every isolate that starts.

import * as z from "zod";
import type { AnyPhrase } from "../words/text.ts";

/** ISO 8601, in UTC. */
export const time = () => z.iso.datetime();
export const count = () => z.int().nonnegative();
export const text = () => z.string();
export const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

/** A sentence before it is in a language: what pages in other languages show. */
export const phrase = <Said extends AnyPhrase = AnyPhrase>() =>
  z
    .custom<Said>((value) => typeof (value as { key?: unknown } | null)?.key === "string")
    .meta({ type: "object", properties: { key: { type: "string" }, values: { type: "object" } }, required: ["key"] });

/** What is wrong at one place of what was sent. `says`: `message` before it is in English. */
export const pointed = () => z.object({ pointer: text(), message: text(), says: phrase().exactOptional() });
