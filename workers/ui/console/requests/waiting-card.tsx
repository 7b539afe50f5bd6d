// Whom an open request waits for, on its page, with what an operator can do about it: send a
// reviewer's notices again, and ask another person whom the rule names.

import type { RunReview } from "../../../endpoints/admin/answers/run-review.ts";
import { paths } from "../../../platform/urls.ts";
import { isLinkChannel } from "../../channel-registry.ts";
import { Time } from "../../names.tsx";
import { Name } from "../../outside-text.tsx";
import { fill } from "../../sentence.tsx";
import type { ApiError } from "../api.ts";
import { type PageAnswer, type Visit, useTexts } from "../page.ts";
import { Done, Note, Press, Tag } from "../pieces.tsx";
import { FormToken } from "../shell.tsx";
import { waitingWords } from "./waiting-words.ts";

/** The review that a request waits for; null where it waits for none. */
export const reviewOf = ({ api }: Visit, run: string): Promise<RunReview | null> => api.find(paths.admin.runReview, { id: run });

type Asked = RunReview["reviewers"][number];

/** By which channels somebody was told, and whether they opened it. */
const Told = ({ channels }: Pick<Asked, "channels">) => {
  const texts = useTexts(waitingWords);
  if (channels.length === 0) return <>{texts.noChannel}</>;
  return (
    <>
      {channels.map(({ channel, notice, opened }, index) => (
        <>
          {index === 0 ? "" : " · "}
          {isLinkChannel(channel) ? texts.channels[channel] : channel} {opened ? texts.opened : texts.notice[notice]}
        </>
      ))}
    </>
  );
};

const AskedLine = ({ visit, of: { name, approved, channels } }: { visit: Visit; of: Asked }) => {
  const texts = useTexts(waitingWords);
  const isFailed = channels.some(({ notice }) => notice === "failed");
  return (
    <li class="line wraps">
      <span>
        <Name value={name} />
        <span class="sub-line soft">
          <Told channels={channels} />
        </span>
      </span>
      {approved ? (
        <Tag of="ok" icon="check">
          {texts.approved}
        </Tag>
      ) : visit.may("decide") ? (
        <Press
          visit={visit}
          to={visit.at(visit.page)}
          fields={{ do: "again", reviewer: name, once: crypto.randomUUID() }}
          about={texts.againAbout.replace("{reviewer}", () => name)}
        >
          {isFailed ? texts.retry : texts.again}
        </Press>
      ) : null}
    </li>
  );
};

const AskMore = ({ visit, askable }: { visit: Visit; askable: readonly string[] }) => {
  const texts = useTexts(waitingWords);
  if (askable.length === 0) return <p class="soft">{texts.nobody}</p>;
  return (
    <form class="form" method="post" action={visit.at(visit.page)}>
      <FormToken visit={visit} />
      <input type="hidden" name="do" value="also" />
      <input type="hidden" name="once" value={crypto.randomUUID()} />
      <label>
        <span class="label">{texts.also}</span>
        <select class="field" name="reviewer">
          {askable.map((name) => (
            <option value={name}>{name}</option>
          ))}
        </select>
      </label>
      <p class="hint">{texts.alsoSays}</p>
      <button class="btn small" type="submit">
        {texts.alsoButton}
      </button>
    </form>
  );
};

export const WaitingCard = ({ visit, review }: { visit: Visit; review: RunReview }) => {
  const texts = useTexts(waitingWords);
  const { gate, quorum, deadlineAt, reviewers, askable } = review;
  const n = reviewers.filter(({ approved }) => approved).length;
  return (
    <section class="card stack" aria-labelledby="waiting">
      <h2 id="waiting">{texts.title[gate]}</h2>
      <p class="soft">{fill(texts.until, { at: <Time at={Date.parse(deadlineAt)} now={visit.now} />, n, quorum })}</p>
      <ul class="rank">
        {reviewers.map((each) => (
          <AskedLine visit={visit} of={each} />
        ))}
      </ul>
      <p class="soft">{texts.inbox}</p>
      {visit.may("decide") ? <AskMore visit={visit} askable={askable} /> : null}
    </section>
  );
};

/** What was done by a form of the card. */
export const AskedNote = ({ visit }: { visit: Visit }) => <Done visit={visit} texts={useTexts(waitingWords).done} />;

/** Why nothing was done, in the words of the page; null where it has none. */
export const AskRefused = ({ of: { status, body } }: { of: ApiError }) => {
  const { over, tooOften, refused } = useTexts(waitingWords);
  const issue = String((body["details"] as { readonly issue?: unknown } | undefined)?.issue ?? ""); // run-review.ts writes it
  const why = status === 404 ? over : status === 429 ? tooOften : Object.entries(refused).find(([name]) => name === issue)?.[1];
  return <Note of="bad">{why ?? over}</Note>;
};

type Refusal = (failure: ApiError) => Promise<PageAnswer>;

/** Carries out a form of the card. `refused`: the page that says why nothing was done. */
export async function askAsTold({ api, form, at }: Visit, run: string, refused: Refusal): Promise<PageAnswer> {
  const act = form.get("do") === "again" ? "again" : "also";
  const path = act === "again" ? paths.admin.runNotices : paths.admin.runReviewers;
  const done = await api.send("POST", path, { id: run, body: { reviewer: form.get("reviewer") ?? "", once: form.get("once") ?? "" } });
  return done.ok ? { kind: "redirect", to: at(`requests/${run}`, { done: act }) } : refused(done.error);
}
