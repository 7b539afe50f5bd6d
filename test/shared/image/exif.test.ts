import { expect, test } from "vitest";
import { type Orientation, isSideways, turn } from "../../../shared/image/exif.ts";

// The letters of a 3 x 2 picture, as they are to be seen for each orientation (Exif 2.32, section
// 4.6.4).
const upright: Readonly<Record<Orientation, readonly string[]>> = {
  1: ["abc", "def"],
  2: ["cba", "fed"],
  3: ["fed", "cba"],
  4: ["def", "abc"],
  5: ["ad", "be", "cf"],
  6: ["da", "eb", "fc"],
  7: ["fc", "eb", "da"],
  8: ["cf", "be", "ad"],
};

test.each(Object.entries(upright))(
  "a picture of orientation %s is turned the way up that it is to be seen, in colour and in grey",
  (name, rows) => {
    const orientation = Number(name) as Orientation;
    for (const samples of [1, 3] as const) {
      const pixels = Uint8Array.from([..."abcdef"].flatMap((letter) => Array.from({ length: samples }, () => letter.charCodeAt(0))));
      const rgb = new Uint8Array(18);
      turn({ pixels, width: 3, height: 2, samples }, rgb, orientation);
      const letters = String.fromCharCode(...rgb.filter((_, at) => at % 3 === 1));
      expect(letters).toBe(rows.join(""));
      expect(isSideways(orientation)).toBe(rows.length === 3);
    }
  },
);
