// Who wrote a version.

import type { Operator } from "../../../../shared/record/record.ts";
import { Name } from "../../outside-text.tsx";
import { fill } from "../../sentence.tsx";
import { useTexts } from "../page.ts";
import { documentsWords } from "./documents-words.ts";

export const WriterName = ({ by }: { by: Operator }) => {
  const texts = useTexts(documentsWords);
  if (by.kind !== "adminToken") return <Name value={by.email} />;
  return <>{fill(texts.admin, { fingerprint: <span class="digest">{by.fingerprint}</span> })}</>;
};
