import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { corpusTable } from "../../../scripts/redaction/corpus.ts";
import { redactRequest } from "../../../shared/redaction/redact.ts";
import { madeFrom } from "../../corpus/made-up.ts";
import { seeded } from "../../support/seeded.ts";
import { secretForms } from "../../corpus/secrets.ts";

test("what is caught of the corpus, and the false alarms, are as docs/security.md says", () => {
  expect(readFileSync(new URL("../../../docs/security.md", import.meta.url), "utf8").replaceAll("\r\n", "\n")).toContain(corpusTable());
});

test("everything around a secret keeps its bytes, whatever stands there", () => {
  const forms = secretForms.filter(({ group }) => group === "known").map(({ form }) => form);
  const around = fc.string({ unit: "grapheme", maxLength: 30 }).map((text) => `${text} `);
  fc.assert(
    fc.property(fc.constantFrom(...forms), fc.nat(), around, around, (form, seed, before, after) => {
      const secret = madeFrom(form, seeded(seed));
      const done = redactRequest(
        { kind: "embedding", messages: [{ role: "user", content: [{ type: "text", text: `${before}${secret} ${after}` }] }] },
        [{ name: "secrets", at: ["request"], secrets: "known" }],
      );
      const [block] = done.ok ? (done.value.value.messages[0]?.content ?? []) : [];
      const text = block?.type === "text" ? block.text : "";
      expect(text.startsWith(before)).toBe(true);
      expect(text.endsWith(` ${after}`)).toBe(true);
      expect(text).toContain("[redacted: ");
    }),
  );
});
