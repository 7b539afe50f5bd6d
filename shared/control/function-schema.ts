// stub
import type { JsonObject } from "../encoding.ts";
import type { PointedError } from "../outcome/outcome.ts";
export const schemaErrors = (_schema: JsonObject, _at: string): PointedError[] => [];
