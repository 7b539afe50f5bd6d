// The warnings by the corpus: a change that catches fewer attacks, or alarms about more ordinary
// texts, shows here.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isWarned, measured, warningsTable } from "../../../scripts/warnings.ts";
import { findRisks } from "../../../shared/policy/risk.ts";
import { markedParts } from "../../../shared/review/risk-places.ts";
import { ordinaryRequests } from "../../corpus/ordinary.ts";
import { seeded } from "../../support/seeded.ts";
import { attacks, ordinary, unseenAttacks, unseenOrdinary } from "../../support/warning-corpus.ts";

const share = ({ warned, texts }: { readonly warned: number; readonly texts: number }): number => warned / texts;

test("nine of ten attacks of the corpus have a warning, and one in thirty of the ordinary texts", () => {
  const { caught, alarms } = measured();
  expect(share(caught.at(-1) ?? { warned: 0, texts: 1 })).toBeGreaterThanOrEqual(0.9);
  expect(share(alarms.at(-1) ?? { warned: 1, texts: 1 })).toBeLessThanOrEqual(1 / 30);
});

test("the corpus has each text once, attacks of six kinds, and ten languages of each list", () => {
  const all = [attacks, ordinary, unseenAttacks, unseenOrdinary].flat();
  expect(new Set(all.map(({ text }) => text)).size).toBe(all.length);
  expect(new Set(attacks.map(({ kind }) => kind)).size).toBe(6);
  for (const list of [attacks, ordinary]) expect(new Set(list.map(({ language }) => language)).size).toBeGreaterThanOrEqual(10);
});

test("fewer than one in twenty ordinary requests has a warning, those with images and tools too", () => {
  const requests = [1, 2, 3].flatMap((seed) => ordinaryRequests(seeded(seed)));
  const warned = requests.filter((request) => findRisks(request).length > 0);
  expect(requests.length).toBeGreaterThan(500);
  expect(warned.length / requests.length).toBeLessThan(0.05);
});

test("every warning of the corpus has its place in the text", () => {
  const unplaced = [...attacks, ...unseenAttacks, ...ordinary, ...unseenOrdinary].flatMap(({ text }) =>
    findRisks({ content: [{ type: "text", text }], model: "" }).flatMap((note, number) => {
      const parts = markedParts(text, [{ number, note }]);
      const isInside = parts.every(({ start, end }) => start >= 0 && start < end && end <= text.length);
      return parts.length > 0 && isInside ? [] : [`${note.kind}: ${text}`];
    }),
  );
  expect(unplaced).toEqual([]);
});

test("what is hidden has a warning in every form", () => {
  expect(attacks.filter(({ kind }) => kind === "hidden").filter((each) => !isWarned(each))).toEqual([]);
});

test("docs/security.md has the figures", () => {
  expect(readFileSync(new URL("../../../docs/security.md", import.meta.url), "utf8")).toContain(warningsTable());
});
