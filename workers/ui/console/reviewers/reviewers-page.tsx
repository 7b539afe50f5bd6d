// Reviewers: how each is reached, what waits for them, a test of each channel, and the form that
// signs one out of their inbox, or removes a passkey of theirs.

import { testResultWords } from "../../../../shared/channels/channel-test.ts";
import type { LinkChannel } from "../../../../shared/notice-channels.ts";
import type { ListedReviewer } from "../../../endpoints/admin/answers/reviewers.ts";
import { paths } from "../../../platform/urls.ts";
import { channelWords, isLinkChannel } from "../../channel-registry.ts";
import { Icon } from "../../icons.tsx";
import { useLanguage } from "../../language.ts";
import { Name } from "../../outside-text.tsx";
import { fill } from "../../sentence.tsx";
import type { ApiError } from "../api.ts";
import { EntriesHead, RowActs, entryOn } from "../entries-page.tsx";
import { type EntryState, actOnEntry } from "../entry.ts";
import { type ConsolePage, type PageAnswer, type Visit, useTexts } from "../page.ts";
import { Confirm, Empty, List, Names, Note, Pager, Press, Refused } from "../pieces.tsx";
import { ReviewerForm, reviewerForm } from "./reviewer-form.tsx";
import { reviewersWords } from "./reviewers-words.ts";

/** Its name where a line begins. */
function useChannelTitle(channel: LinkChannel): string {
  const { name } = channelWords(channel, useLanguage());
  return name.charAt(0).toUpperCase() + name.slice(1);
}

type Tested = { readonly reviewer: string; readonly channel: LinkChannel; readonly isSent: boolean; readonly text: string };

const ChannelLine = ({ visit, reviewer, of }: { visit: Visit; reviewer: ListedReviewer; of: ListedReviewer["channels"][number] }) => {
  const texts = useTexts(reviewersWords);
  const { channel, address, use } = of;
  const name = useChannelTitle(channel);
  return (
    <li class="line">
      <span>
        <b>{name}</b> {address === null ? <span class="soft">{texts.outbox}</span> : <span class="digest">{address}</span>}{" "}
        {use === "first" ? null : (
          <span class={`tag ${use === "notSetUp" ? "mind" : ""}`}>
            <Icon of={use === "notSetUp" ? "warning" : "info"} />
            {texts.uses[use]}
          </span>
        )}
      </span>
      {visit.may("decide") && use !== "notSetUp" && channel !== "outbox" ? (
        <Press
          visit={visit}
          to={visit.at("reviewers", { after: visit.query.get("after") })}
          fields={{ reviewer: reviewer.name, test: channel }}
          about={texts.testAbout.replace("{channel}", name).replace("{reviewer}", () => reviewer.name)}
        >
          {texts.test}
        </Press>
      ) : null}
    </li>
  );
};

const ReviewerRow = ({ visit, of, version }: { visit: Visit; of: ListedReviewer; version: number }) => {
  const texts = useTexts(reviewersWords);
  const who = { reviewer: <Name value={of.name} /> };
  return (
    <tr>
      <td class="main-cell">
        <Name value={of.name} />
        <div class="soft">{fill(texts.groups, { groups: <Names of={of.groups} /> })}</div>
        {of.language === null ? null : <div class="soft">{texts.language.replace("{language}", languageName(of.language, visit))}</div>}
        {of.room === null ? null : <div class="soft">{texts.room}</div>}
        <a href={visit.at("requests", { reviewer: of.name })}>
          {texts.requests}
          <span class="sr"> {of.name}</span>
        </a>
        <div>
          <a href={visit.at("decisions", { by: of.name })}>
            {texts.decisions}
            <span class="sr"> {of.name}</span>
          </a>
        </div>
      </td>
      <td>
        {of.waiting === null ? (
          <span class="soft">{texts.noInbox}</span>
        ) : of.waiting === 0 ? (
          texts.noneWaits
        ) : (
          fill(texts.waiting, { n: of.waiting })
        )}
      </td>
      <td class="full">
        <ul class="rank">
          {of.channels.map((channel) => (
            <ChannelLine visit={visit} reviewer={of} of={channel} />
          ))}
        </ul>
      </td>
      <td class="end">
        <div class="row-acts">
          <RowActs visit={visit} of={reviewerForm} name={of.name} version={version} texts={texts} />
          {of.waiting !== null && visit.may("decide") ? (
            <Confirm
              visit={visit}
              to="reviewers"
              fields={{ "sign-out": of.name }}
              ask={texts.signOut}
              about={of.name}
              says={fill(texts.signOutSays, who)}
              button={texts.signOutButton.replace("{reviewer}", () => of.name)}
            />
          ) : null}
          {of.passkeys.map(({ id, name }) =>
            visit.may("change") ? (
              <Confirm
                visit={visit}
                to="reviewers"
                fields={{ passkey: id, of: of.name }}
                ask={texts.passkey.replace("{passkey}", () => name)}
                about={of.name}
                says={fill(texts.passkeySays, who)}
                button={texts.passkeyButton.replace("{passkey}", () => name)}
              />
            ) : null,
          )}
        </div>
      </td>
    </tr>
  );
};

/** "Chinese (China)" of `zh-CN`; the tag itself where it has no name. */
function languageName(tag: string, { language }: Visit): string {
  try {
    return new Intl.DisplayNames(language, { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

type ReviewersProps = { readonly visit: Visit; readonly reviewers: readonly ListedReviewer[]; readonly version: number };

const Reviewers = ({ visit, reviewers, version }: ReviewersProps) => {
  const texts = useTexts(reviewersWords);
  const { columns } = texts;
  if (reviewers.length === 0) return <Empty>{texts.none}</Empty>;
  return (
    <List columns={[columns.name, columns.waiting, columns.channels]} action={columns.action}>
      {reviewers.map((reviewer) => (
        <ReviewerRow visit={visit} of={reviewer} version={version} />
      ))}
    </List>
  );
};

const TestNote = ({ of: { reviewer, channel, isSent, text } }: { of: Tested }) => {
  const texts = useTexts(reviewersWords);
  return (
    <Note of={isSent ? "ok" : "bad"}>
      <p>
        <b>{fill(isSent ? texts.sent : texts.notSent, { channel: useChannelTitle(channel), reviewer: <Name value={reviewer} /> })}</b>
      </p>
      <p>{text}</p>
    </Note>
  );
};

/** `sent`: the form of a reviewer as it was sent, where nothing was done. */
type Said = { readonly failure?: ApiError; readonly tested?: Tested; readonly sent?: EntryState };

async function renderReviewers(visit: Visit, { failure, tested, sent }: Said = {}): Promise<PageAnswer> {
  const after = visit.query.get("after");
  const isFirst = after === null || after === "";
  const [{ reviewers, next }, { current, state }] = await Promise.all([
    visit.api.read(paths.admin.reviewers, isFirst ? {} : { query: { after } }),
    entryOn(visit, reviewerForm, sent),
  ]);
  const texts = reviewersWords[visit.language];
  const ended = visit.query.get("ended");
  return {
    kind: "page",
    title: texts.title,
    ...(failure === undefined && tested?.isSent !== false && sent === undefined ? {} : { status: 422 }),
    body: () => (
      <>
        <EntriesHead visit={visit} of={reviewerForm} texts={texts} lead={texts.lead} state={state} />
        {ended !== null && /^\d{1,6}$/.test(ended) ? <Note of="ok">{fill(texts.signedOut, { n: Number(ended) })}</Note> : null}
        {visit.query.get("removed") === null ? null : <Note of="ok">{texts.passkeyRemoved}</Note>}
        {failure === undefined ? null : <Refused failure={failure} />}
        {tested === undefined ? null : <TestNote of={tested} />}
        <section class="card" aria-label={texts.title}>
          <Reviewers visit={visit} reviewers={reviewers} version={current.version} />
        </section>
        <Pager newer={isFirst ? null : visit.at("reviewers")} older={next === null ? null : visit.at("reviewers", { after: next })} />
        {visit.may("change") ? <ReviewerForm visit={visit} state={state} /> : null}
        <p>
          <a href={visit.at("documents/policy")}>{texts.document}</a>
        </p>
      </>
    ),
  };
}

async function act(visit: Visit): Promise<PageAnswer> {
  const { form, api, language } = visit;
  if (form.has("version"))
    return actOnEntry(visit, reviewerForm, {
      shown: (sent) => renderReviewers(visit, { sent }),
      done: (what) => visit.at("reviewers", { done: what }),
    });
  const signedOut = form.get("sign-out");
  if (signedOut !== null) {
    const done = await api.send("DELETE", paths.admin.inboxSessions, { reviewer: signedOut });
    return done.ok
      ? { kind: "redirect", to: visit.at("reviewers", { ended: String(done.value.ended) }) }
      : renderReviewers(visit, { failure: done.error });
  }
  const passkey = form.get("passkey");
  if (passkey !== null) {
    const done = await api.send("DELETE", paths.admin.inboxPasskey, { reviewer: form.get("of") ?? "", passkey });
    return done.ok ? { kind: "redirect", to: visit.at("reviewers", { removed: "1" }) } : renderReviewers(visit, { failure: done.error });
  }
  const texts = reviewersWords[language];
  const [reviewer, channel] = [form.get("reviewer") ?? "", form.get("test") ?? ""];
  const answer = await api.send("POST", paths.admin.channelTest, { body: { reviewer, channel } });
  if (!isLinkChannel(channel)) return renderReviewers(visit, answer.ok ? {} : { failure: answer.error });
  const of = { reviewer, channel };
  if (answer.ok) {
    const { state } = answer.value;
    return renderReviewers(visit, {
      tested: { ...of, isSent: state === "sent", text: testResultWords(state, channelWords(channel, language), language) },
    });
  }
  const text = refusalOf(answer.error, texts);
  return renderReviewers(visit, text === null ? { failure: answer.error } : { tested: { ...of, isSent: false, text } });
}

/** Why nothing was sent at all; null where the page has no words for it. */
function refusalOf({ status, body }: ApiError, texts: (typeof reviewersWords)["en"]): string | null {
  if (status === 429) return texts.again;
  const issue = (body["details"] as { readonly issue?: unknown } | undefined)?.issue;
  return issue === "notSetUp" || issue === "noAddress" ? texts[issue] : null;
}

export const reviewersPage: ConsolePage = { path: "reviewers", get: (visit) => renderReviewers(visit), post: act };
