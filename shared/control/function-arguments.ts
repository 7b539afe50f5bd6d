// placeholder until the real one lands
import type { Json, JsonObject } from "../encoding.ts";
import type { PointedError } from "../outcome/outcome.ts";
import { ok, type Result } from "../result.ts";

export const checkArguments = (_schema: JsonObject, _value: Json, _at: string): Result<void, readonly PointedError[]> => ok(undefined);
