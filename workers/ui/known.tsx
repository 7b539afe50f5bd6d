// How the gateway knew a person who decided, as part of a sentence.

import type { KnownBy } from "../../shared/receipt/known.ts";
import { useWords } from "./language.ts";
import { Name } from "./outside-text.tsx";
import { fill } from "./sentence.tsx";

export const Known = ({ of }: { of: KnownBy }) => {
  const { known } = useWords().page;
  return <>{of.how === "issuer" ? fill(known.issuer, { issuer: <Name value={of.issuer} /> }) : known[of.how]}</>;
};
