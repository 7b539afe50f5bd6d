// What an operator did, in a sentence.

import { nanosInUsd } from "../../../../shared/budget/budgets.ts";
import type { KeyEnder, OperatorFact } from "../../../../shared/record/record.ts";
import type { Child } from "hono/jsx";
import { Name } from "../../outside-text.tsx";
import { fill } from "../../sentence.tsx";
import { type Visit, useTexts } from "../page.ts";
import { RunLink } from "../requests/request-pieces.tsx";
import { amountIn } from "../spend-meter.tsx";
import { Names } from "../pieces.tsx";
import { recordWords } from "./record-words.ts";

const By = ({ operator }: { operator: KeyEnder }) => {
  const { operators } = useTexts(recordWords);
  if (operator.kind === "connection") return <>{operators.connection}</>;
  if (operator.kind !== "adminToken") return <Name value={operator.email} />;
  return (
    <>
      <b>{operators.token}</b>{" "}
      <span class="soft">({fill(operators.fingerprint, { fingerprint: <span class="digest">{operator.fingerprint}</span> })})</span>
    </>
  );
};

export const ActSentence = ({ fact, visit }: { fact: OperatorFact; visit: Visit }) => {
  const { sentence, values } = partsOf(fact, visit, useTexts(recordWords));
  const by = "by" in fact ? { by: <By operator={fact.by} /> } : {};
  return <>{fill(sentence, { ...by, ...values })}</>;
};

type ActSentence = { readonly sentence: string; readonly values: Readonly<Record<string, Child>> };

/** The sentence of a fact, and what stands in its places but `by`. */
function partsOf(fact: OperatorFact, visit: Visit, { acts, per }: (typeof recordWords)["en"]): ActSentence {
  const name = (value: string): Child => <Name value={value} />;
  const linked = (page: string, value: string): Child => (
    <a href={visit.at(page)}>
      <Name value={value} />
    </a>
  );
  const key = (id: string): Child => linked(`keys/${id}`, id);
  const server = (of: string): Child => linked(`servers/${of}`, of);
  switch (fact.kind) {
    case "documentWritten": {
      const document = <a href={visit.at(`documents/${encodeURIComponent(fact.document)}`)}>{fact.document}</a>;
      const version = String(fact.version);
      return fact.restored === null
        ? { sentence: acts.documentWritten, values: { document, version } }
        : { sentence: acts.documentRestored, values: { document, version, restored: String(fact.restored) } };
    }
    case "keyMade": {
      const values = { name: name(fact.name), key: key(fact.key) };
      return fact.owner === null
        ? { sentence: acts.keyMade, values }
        : { sentence: acts.keyMadeFor, values: { ...values, owner: name(fact.owner) } };
    }
    case "keyChanged":
    case "keyRevoked":
      return { sentence: acts[fact.kind], values: { key: key(fact.key) } };
    case "bypassGiven":
      if (fact.server === null) return { sentence: acts.bypassGivenAll, values: { key: key(fact.key) } };
      return fact.tool === undefined
        ? { sentence: acts.bypassGiven, values: { key: key(fact.key), server: server(fact.server) } }
        : { sentence: acts.bypassGivenTool, values: { key: key(fact.key), server: server(fact.server), tool: name(fact.tool) } };
    case "grantRevoked":
      return { sentence: acts.grantRevoked, values: { grant: name(fact.grant) } };
    case "passkeyAdded":
      return { sentence: acts.passkeyAdded, values: { reviewer: name(fact.reviewer), passkey: name(fact.passkey) } };
    case "passkeyRemoved":
      return { sentence: acts.passkeyRemoved, values: { reviewer: name(fact.reviewer), passkey: name(fact.passkey) } };
    case "inboxSessionsEnded":
      return { sentence: acts.inboxSessionsEnded, values: { reviewer: name(fact.reviewer) } };
    case "recordExported":
      return fact.run === null
        ? { sentence: acts.recordExported, values: {} }
        : {
            sentence: acts.partExported,
            values: { run: fact.run.startsWith("run_") ? <RunLink visit={visit} run={fact.run} /> : name(fact.run) },
          };
    case "doctorAsked":
    case "signedIn":
      return { sentence: acts[fact.kind], values: {} };
    case "channelTested": {
      const values = { channel: name(fact.channel), reviewer: name(fact.reviewer), state: name(fact.state) };
      return { sentence: fact.state === "sent" ? acts.channelTested : acts.channelTestFailed, values };
    }
    case "linkGiven":
      return {
        sentence: acts.linkGiven[fact.gate],
        values: { reviewer: name(fact.reviewer), run: <RunLink visit={visit} run={fact.run} /> },
      };
    case "signedOut":
      return { sentence: fact.everywhere ? acts.signedOutEverywhere : acts.signedOut, values: {} };
    case "stopped":
    case "resumed":
      return { sentence: acts[fact.kind][fact.scope], values: { of: name(fact.of ?? "") } };
    case "toolAccepted":
    case "toolHidden":
      return { sentence: acts[fact.kind], values: { tool: name(fact.tool), server: server(fact.server) } };
    case "receiptKeyMade":
    case "receiptKeyRevoked":
      return { sentence: acts[fact.kind], values: { key: name(fact.key) } };
    case "toolsChanged": {
      const more = fact.count - fact.tools.length;
      const values = { server: server(fact.server), tools: <Names of={fact.tools} />, more: String(more) };
      const sentences = acts.toolsChanged[fact.isHeld ? "held" : "shown"];
      return { sentence: more > 0 ? sentences.more : sentences.all, values };
    }
    case "budgetReached": {
      const limit = amountIn(fact.unit, fact.unit === "usd" ? fact.limit / nanosInUsd : fact.limit, visit.language);
      const values = { percent: String(fact.percent), budget: name(fact.budget), limit, per: per[fact.per], part: name(fact.part ?? "") };
      return { sentence: fact.part === null ? acts.budgetReached : acts.budgetPartReached, values };
    }
    default:
      // Stored by a newer version: this one's kinds are all above.
      return { sentence: acts.unknown, values: { kind: name((fact satisfies never as { readonly kind: string }).kind) } };
  }
}
