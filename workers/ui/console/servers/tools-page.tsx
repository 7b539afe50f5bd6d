// The tools of one MCP server: what changed since it was accepted, with what it should warn of, and
// the forms that accept and hide a definition.

import { riskWords } from "../../../../shared/channels/risk-words.ts";
import { differenceOf } from "../../../../shared/review/difference.ts";
import type { ServerTool, ServerTools } from "../../../endpoints/admin/answers/server-tools.ts";
import { paths } from "../../../platform/urls.ts";
import { Difference } from "../../changes.tsx";
import { useWords } from "../../language.ts";
import { Time } from "../../names.tsx";
import { Name, Plain } from "../../outside-text.tsx";
import { fill, fillText } from "../../sentence.tsx";
import type { ApiError } from "../api.ts";
import { FindingItem } from "../overview/health.tsx";
import { type ConsolePage, type PageAnswer, type Visit, useTexts } from "../page.ts";
import { Done, Empty, LinkButton, List, Names, Note, Pager, Press, Refused, Tag } from "../pieces.tsx";
import { FormToken } from "../shell.tsx";
import type { Stopped } from "../../../endpoints/admin/answers/stops.ts";
import { StopHere, StopNote, StoppedTag, stopsOf } from "../stops/stop-here.tsx";
import { serversWords } from "./servers-words.ts";
import { toolsWords } from "./tools-words.ts";

/** Nobody reads more of them at once. */
const mostWaiting = 10;

const Warnings = ({ of }: { of: ServerTool["warnings"] }) => {
  const words = useWords();
  return of.length === 0 ? null : (
    <ul class="findings">
      {of.map((note) => (
        <FindingItem of={note.level === "high" ? "bad" : "mind"}>
          <Plain value={riskWords(note, words)} />
        </FindingItem>
      ))}
    </ul>
  );
};

const daysCounted = 7;
const noCalls = { calls: 0, denied: 0 };

type ToolProps = { readonly visit: Visit; readonly tool: ServerTool };

const Changes = ({ tool: { changes, isTooLong, digest } }: Pick<ToolProps, "tool">) => {
  const texts = useTexts(toolsWords);
  if (isTooLong) return <p>{fill(texts.tooLong, { digest: <span class="digest">{digest}</span> })}</p>;
  if (changes.length === 0) return <p>{texts.sameText}</p>;
  const names: Readonly<Record<string, string>> = texts.members;
  return (
    <div class="parts">
      {changes.map(({ member, before, after }) => (
        <section class="part">
          <header>
            <h2>{names[member] ?? <Name value={member} />}</h2>
          </header>
          <Difference change={{ path: "", changes: differenceOf(before ?? "", after ?? "") }} />
        </section>
      ))}
    </div>
  );
};

const Pairs = ({ of }: { of: readonly ServerTool[] }) => (
  <>
    {of.map(({ name, digest }) => (
      <>
        <input type="hidden" name="tool" value={name} />
        <input type="hidden" name="digest" value={digest} />
      </>
    ))}
  </>
);

const Waiting = ({ visit, tool }: ToolProps) => {
  const texts = useTexts(toolsWords);
  const { name, state, isShown, since, warnings } = tool;
  const sentence = texts.waits[state === "new" ? "new" : "changed"][isShown ? "shown" : "held"];
  return (
    <section class="card stack" id={`tool-${tool.digest}`}>
      <Note of="mind">
        {fill(sentence, {
          tool: (
            <b>
              <Name value={name} />
            </b>
          ),
          at: <Time at={Date.parse(since)} now={visit.now} />,
        })}
      </Note>
      <Warnings of={warnings} />
      <Changes tool={tool} />
      {visit.may("change") ? (
        <form method="post" action={visit.at(visit.page)}>
          <FormToken visit={visit} />
          <Pairs of={[tool]} />
          <p class="row-acts">
            <button class="btn yes small" type="submit" name="do" value="accept">
              {state === "new" ? texts.acceptTool : texts.acceptChange}
              <span class="sr">
                {" "}
                <Name value={name} />
              </span>
            </button>
            <button class="btn small" type="submit" name="do" value="hide">
              {isShown ? texts.hide : texts.keepHidden}
              <span class="sr">
                {" "}
                <Name value={name} />
              </span>
            </button>
          </p>
        </form>
      ) : null}
    </section>
  );
};

const AcceptAll = ({ visit, waiting }: { visit: Visit; waiting: ServerTools }) => {
  const texts = useTexts(toolsWords);
  return (
    <>
      {waiting.next === null ? null : <p class="soft">{texts.moreWaiting}</p>}
      {visit.may("change") && waiting.tools.length > 1 ? (
        <form method="post" action={visit.at(visit.page)}>
          <FormToken visit={visit} />
          <Pairs of={waiting.tools} />
          <button class="btn small" type="submit" name="do" value="accept">
            {fillText(texts.acceptAll, { n: waiting.tools.length })}
          </button>
        </form>
      ) : null}
    </>
  );
};

const StateTag = ({ of: { state, isShown } }: { of: ServerTool }) => {
  const { states, leftOut } = useTexts(toolsWords);
  if (isShown)
    return state === "accepted" ? (
      <Tag of="ok" icon="check">
        {states.shown}
      </Tag>
    ) : (
      <Tag of="mind" icon="warning">
        {states.changed}
      </Tag>
    );
  if (state !== "accepted")
    return (
      <Tag of="bad" icon="cross">
        {states[state === "hidden" ? "hidden" : "held"]}
      </Tag>
    );
  return (
    <>
      <Tag of="bad" icon="cross">
        {states.left}
      </Tag>
      <span class="sr"> {leftOut}</span>
    </>
  );
};

const mostRules = 4;

/** What its rules do with a call of it, in order. */
const Rules = ({ visit, tool: { rules } }: ToolProps) => {
  const texts = useTexts(toolsWords).rules;
  const left = rules.length - mostRules;
  return (
    <>
      {rules.toSpliced(mostRules - 1, Math.max(0, left)).map(({ rule, isSure, juror, request, response, reviewers }) => {
        const asked = request !== "allow" ? request : juror !== null ? "juror" : response === "review" ? "result" : "allow";
        const isOpen = asked === "allow";
        return (
          <div>
            <Tag of={isOpen ? "ok" : asked === "refuse" ? "bad" : "mind"} icon={isOpen ? "check" : asked === "refuse" ? "cross" : "people"}>
              {fill(texts.acts[asked], { people: <Names of={reviewers} /> })}
            </Tag>{" "}
            <span class="soft">
              {rule === "default" ? (
                texts[rules.length > 1 ? "otherwise" : "none"]
              ) : (
                <>
                  {isSure ? (rules.length > 1 ? `${texts.otherwise} ` : "") : `${texts.may} `}
                  <a href={`${visit.at("policy", { rule })}#edit`}>
                    <Name value={rule} />
                  </a>
                  {juror === null ? null : <> {fill(texts.first, { model: <Name value={juror} /> })}</>}
                </>
              )}
            </span>
          </div>
        );
      })}
      {left > 0 ? <span class="soft">{fillText(texts.more, { n: left })}</span> : null}
    </>
  );
};

const ToolRow = ({ visit, tool, calls }: ToolProps & { readonly calls: ServerTools["calls"] }) => {
  const made = calls?.tools.find((each) => each.tool === tool.name) ?? noCalls;
  const number = (n: number): string => n.toLocaleString(visit.language);
  const texts = useTexts(toolsWords);
  const { name, title, state, since, digest, warnings, isShown } = tool;
  const isAccepted = state === "accepted";
  return (
    <tr>
      <td class="main-cell">
        <Name value={name} />
        {title === null ? null : (
          <div class="soft">
            <Name value={title} />
          </div>
        )}
        {isAccepted ? <Warnings of={warnings} /> : null}
      </td>
      <td class="end">
        <StateTag of={tool} />
      </td>
      <td data-k={texts.columns.rule}>
        <Rules visit={visit} tool={tool} />
      </td>
      <td data-k={texts.columns.calls} class="num">
        {made.calls === 0 ? (
          "0"
        ) : (
          <a href={visit.at("requests", { server: nameIn(visit), tool: name })}>
            {calls?.isPartial === true ? fillText(texts.atLeast, { n: number(made.calls) }) : number(made.calls)}
          </a>
        )}
      </td>
      <td data-k={texts.columns.denied} class="num">
        {number(made.denied)}
      </td>
      <td data-k={texts.columns.since}>
        <Time at={Date.parse(since)} now={visit.now} />
      </td>
      <td class="full">
        {visit.may("change") && ((isAccepted && isShown) || state === "hidden") ? (
          <Press
            visit={visit}
            to={visit.at(visit.page)}
            fields={{ tool: name, digest, do: isAccepted ? "hide" : "accept" }}
            about={<Name value={name} />}
          >
            {isAccepted ? texts.hide : texts.show}
          </Press>
        ) : null}
      </td>
    </tr>
  );
};

/** What else there is of the server: its requests, its spend, its entry, and the kill switch. */
const Elsewhere = ({ visit, server, stops, isKept }: ElsewhereProps) => {
  const texts = useTexts(toolsWords);
  return (
    <div class="row-acts">
      <LinkButton to={visit.at("requests", { server })}>{texts.requests}</LinkButton>
      <LinkButton to={visit.at("usage", { by: "server" })}>{texts.usage}</LinkButton>
      {isKept && visit.may("change") ? (
        <LinkButton to={`${visit.at("servers", { edit: server })}#form`}>{texts.editEntry}</LinkButton>
      ) : null}
      <StopHere visit={visit} stop={{ scope: "server", server }} stops={stops} called={server} from={visit.page} isNamed />
    </div>
  );
};

type ElsewhereProps = {
  readonly visit: Visit;
  readonly server: string;
  readonly stops: readonly Stopped[];
  /** Definitions are kept: else the page leads to the entry where it says so. */
  readonly isKept: boolean;
};

async function renderTools(visit: Visit, failure?: ApiError): Promise<PageAnswer> {
  const server = nameIn(visit);
  const after = visit.query.get("after") ?? "";
  const [all, waiting, stops] = await Promise.all([
    visit.api.find(paths.admin.serverTools, { server, query: { days: String(daysCounted), ...(after === "" ? {} : { after }) } }),
    visit.api.find(paths.admin.serverTools, { server, query: { waiting: "true", limit: String(mostWaiting) } }),
    stopsOf(visit),
  ]);
  if (all === null || waiting === null) return { kind: "notFound" };
  const texts = toolsWords[visit.language];
  const { columns } = texts;
  return {
    kind: "page",
    title: fillText(texts.title, { server }),
    ...(failure === undefined ? {} : { status: 422 }),
    body: () => (
      <>
        <p>
          <a href={visit.at("servers")}>{serversWords[visit.language].title}</a> › <Name value={server} />
        </p>
        <div class="head">
          <h1>{fill(texts.title, { server: <Name value={server} /> })}</h1>
          <StoppedTag visit={visit} stop={{ scope: "server", server }} stops={stops} />
        </div>
        <Elsewhere visit={visit} server={server} stops={stops} isKept={all.pin !== "off"} />
        <StopNote visit={visit} />
        <Done visit={visit} texts={texts.done} />
        {failure === undefined ? null : <Refused failure={failure} />}
        {all.pin === "off" ? (
          <Note of="mind">
            {texts.off} {visit.may("change") ? <a href={`${visit.at("servers", { edit: server })}#form`}>{texts.editEntry}</a> : null}
          </Note>
        ) : null}
        {waiting.tools.map((tool) => (
          <Waiting visit={visit} tool={tool} />
        ))}
        <AcceptAll visit={visit} waiting={waiting} />
        <section class="card" aria-label={texts.count}>
          {all.tools.length === 0 ? (
            <Empty>{texts.none}</Empty>
          ) : (
            <List
              columns={[columns.tool, columns.state, columns.rule, columns.calls, columns.denied, columns.since]}
              action={columns.action}
            >
              {all.tools.map((tool) => (
                <ToolRow visit={visit} tool={tool} calls={all.calls} />
              ))}
            </List>
          )}
          {all.tools.length === 0 ? null : <p class="soft">{texts.counted}</p>}
        </section>
        <Pager
          newer={after === "" ? null : visit.at(visit.page)}
          older={all.next === null ? null : visit.at(visit.page, { after: all.next })}
        />
      </>
    ),
  };
}

const nameIn = ({ page }: Visit): string => page.slice("servers/".length);

async function act(visit: Visit): Promise<PageAnswer> {
  const { form, api } = visit;
  const digests = form.getAll("digest");
  const tools = form.getAll("tool").map((name, index) => ({ name, digest: digests[index] ?? "" }));
  const isAccepted = form.get("do") === "accept";
  const path = isAccepted ? paths.admin.acceptTools : paths.admin.hideTools;
  const done = await api.send("POST", path, { server: nameIn(visit), body: { tools } });
  if (!done.ok) return renderTools(visit, done.error);
  return { kind: "redirect", to: visit.at(visit.page, { done: isAccepted ? "accepted" : "hidden" }) };
}

export const toolsPage: ConsolePage = { path: "servers/*", get: (visit) => renderTools(visit), post: act };
