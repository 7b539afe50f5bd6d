import { test } from "vitest";
import { decodesAndEncodes } from "../shared/image/large-png.ts";

test("16 megapixels are decoded and encoded", () => decodesAndEncodes(4_000, 4_000));
