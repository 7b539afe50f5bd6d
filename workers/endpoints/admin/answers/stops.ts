// The answer of /admin/stops.

import * as z from "zod";
import { list, text, time } from "../../../../shared/json/answer-fields.ts";
import { type AnswerOf, named } from "../../answer-schema.ts";

const stopped = () =>
  z.discriminatedUnion("scope", [
    z.object({ scope: z.literal("everything"), at: time() }),
    z.object({ scope: z.literal("server"), server: text(), at: time() }),
    z.object({ scope: z.literal("key"), key: text(), at: time() }),
    z.object({
      scope: z.literal("tool"),
      id: text(),
      key: text(),
      server: text(),
      tool: text(),
      of: z.enum(["session", "key"]),
      by: text(),
      until: time(),
      at: time(),
    }),
  ]);
export type Stopped = AnswerOf<typeof stopped>;

export const stopList = named("StopList", () => z.object({ stops: list(stopped()) }));
export type StopList = AnswerOf<typeof stopList>;
