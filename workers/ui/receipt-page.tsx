// The page of a receipt: what was decided, by whom, and how to check it without this page.

import type { ReceiptClaims } from "../../shared/receipt/claims.ts";
import type { ReceiptFacts } from "../../shared/receipt/facts.ts";
import { Document, type InboxMark } from "./document.tsx";
import { Icon } from "./icons.tsx";
import { useWords } from "./language.ts";
import { Person } from "./names.tsx";
import { Name } from "./outside-text.tsx";
import { fill } from "./sentence.tsx";

export type ReceiptPageInput = {
  readonly facts: ReceiptFacts;
  readonly receipt: string;
  /** What the signature covers; null where it could not be checked. */
  readonly claims: ReceiptClaims | null;
  readonly proof: { readonly shard: number; readonly index: number; readonly text: string } | null;
  readonly reader: string;
  readonly inbox: InboxMark;
};

export const ReceiptPage = ({ cspNonce, facts, receipt, claims, proof, reader, inbox }: ReceiptPageInput & { cspNonce: string }) => {
  const { numbers, page, receipt: words } = useWords();
  const { server, name, decision, edited, mode, reviewers, policy } = facts;
  const said = decision === "approved" && (edited.request || edited.reply) ? words.edited : words.decisions[decision];
  const digests = [
    [words.sent, claims?.request.jcs],
    [words.answer, claims?.reply?.jcs],
  ] as const;
  return (
    <Document title={`${words.title} · ${page.product}`} cspNonce={cspNonce} reader={reader} inbox={inbox}>
      <div class="wrap narrow">
        <h1 class="said-by-us">{words.title}</h1>
        <p class={claims === null ? "note mind" : "note ok"}>
          <Icon of={claims === null ? "info" : "check"} />
          <span>
            <b>{claims === null ? words.invalid : words.valid}</b>{" "}
            {proof === null
              ? words.noEntry
              : fill(words.entry, { index: proof.index.toLocaleString(page.lang), shard: String(proof.shard) })}
          </span>
        </p>
        <section class="card">
          <dl class="pairs">
            <dt>{words.what}</dt>
            <dd>
              <Name value={`${server} · ${name}`} />
            </dd>
            <dt>{words.decision}</dt>
            <dd>{fill(said, { time: <time datetime={new Date(facts.at).toISOString()}>{numbers.time(facts.at)}</time> })}</dd>
            {reviewers.length === 0 ? null : (
              <>
                <dt>{words.by}</dt>
                <dd>
                  {reviewers.map((each, i) => (
                    <>
                      {i === 0 ? "" : ", "}
                      <Person name={each.name} reader={reader} /> (
                      {each.signIn === undefined || each.amr === "webauthn" ? words.amr[each.amr] : words.signIn[each.signIn]})
                    </>
                  ))}
                </dd>
              </>
            )}
            <dt>{words.mode}</dt>
            <dd>{words.modes[mode]}</dd>
            <dt>{words.rule}</dt>
            <dd>{fill(words.ruleOf, { rule: <Name value={policy.rule} />, version: String(policy.version) })}</dd>
            {digests.map(([label, digest]) =>
              digest === undefined ? null : (
                <>
                  <dt>{label}</dt>
                  <dd>
                    <span class="digest">sha256 {digest}</span>
                  </dd>
                </>
              ),
            )}
          </dl>
        </section>
        <section class="card stack">
          <h2>{words.verify}</h2>
          <pre tabindex={0}>{`npx @countersign/client verify receipt.jwt --issuer ${claims?.iss ?? "…"} --audience ${server}`}</pre>
          <details>
            <summary class="chev">{words.receipt}</summary>
            <pre tabindex={0}>{receipt}</pre>
          </details>
          {proof === null ? null : (
            <details>
              <summary class="chev">{words.proof}</summary>
              <pre tabindex={0}>{proof.text}</pre>
            </details>
          )}
        </section>
        <p class="note">
          <Icon of="info" />
          <span>{fill(words.limits, { server: <Name value={server} /> })}</span>
        </p>
      </div>
    </Document>
  );
};
