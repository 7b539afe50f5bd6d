// The MCP servers of the relay: how each is reached, whether it answers, and the forms that add,
// change and remove one.

import type { JsonObject } from "../../../../shared/json-types.ts";
import { type FieldCodec, oneOf } from "../../../../shared/json/form-fields.ts";
import { objectOf } from "../../../../shared/json/values.ts";
import type { SunsetLine } from "../../../../shared/record/sunset.ts";
import type { DoctorCheck } from "../../../endpoints/admin/answers/doctor.ts";
import type { WaitingTools } from "../../../endpoints/admin/answers/server-tools.ts";
import type { Stopped } from "../../../endpoints/admin/answers/stops.ts";
import { paths } from "../../../platform/urls.ts";
import { Time } from "../../names.tsx";
import { Name, Plain } from "../../outside-text.tsx";
import { fill, fillText } from "../../sentence.tsx";
import type { ApiError } from "../api.ts";
import { EntriesHead, FormBelow, RowActs, entriesIn, entriesPage, entryOn, namedEntries } from "../entries-page.tsx";
import type { EntryForm, EntryState } from "../entry.ts";
import { type ConsolePage, type PageAnswer, type Visit, useTexts } from "../page.ts";
import { Empty, List, Note, Pager, Press, Refused, Tag, pageOf } from "../pieces.tsx";
import { StopHere, StopNote, StoppedTag, stopsOf } from "../stops/stop-here.tsx";
import { serversWords } from "./servers-words.ts";
import { toolsWords } from "./tools-words.ts";
import { serverSchema } from "../../../../shared/relay/servers.ts";
import { Fields, MoreFields, formOf, othersThan } from "../fields.tsx";

/** Roots: on each line a URI, and its name behind it. */
const rootLines = (name: string): FieldCodec => ({
  kind: "lines",
  show: (value) => ({
    [name]: [
      (Array.isArray(value) ? value : []).map((root) => [objectOf(root)?.["uri"], objectOf(root)?.["name"]].join(" ").trim()).join("\n"),
    ],
  }),
  read: (values) => {
    const lines = oneOf(values, name)
      .split("\n")
      .map((line) => line.trim().split(/\s+/));
    const roots = lines.flatMap(([uri = "", ...called]) =>
      uri === "" ? [] : [{ uri, ...(called.length === 0 ? {} : { name: called.join(" ") }) }],
    );
    return roots.length === 0 ? undefined : roots;
  },
});

const entryForm = namedEntries(formOf(serverSchema, serversWords, { roots: rootLines }), "servers");
/** `tools: true` is short for an object of which the form has the members. */
const serverForm: EntryForm = {
  ...entryForm,
  read: (whole, was) => {
    const entry = entryForm.read(whole, was);
    return entry !== null && typeof entry["tools"] === "boolean" ? { ...entry, tools: { sampling: entry["tools"] } } : entry;
  },
  write: (whole, { entry: { tools, ...entry }, ...named }) => {
    const { sampling = true, ...names } = objectOf(tools) ?? {};
    const written = tools !== undefined && Object.keys(names).length === 0 ? sampling : tools;
    return entryForm.write(whole, { ...named, entry: written === undefined ? entry : { ...entry, tools: written } });
  },
};

const first = ["url", "mode", "elicitation", "association", "protocol", "secret"];
const access = ["passAuthorization", "allowPrivate"];
const lists = ["samplingTools", "elicitationHosts", "functions", "origins", "headers", "roots"];
const others = othersThan(serverForm, [...first, ...access, ...lists]);
const connections = others.filter((name) => name.startsWith("connections-"));
const more = [...lists, ...others.filter((name) => !connections.includes(name))];

const ServerForm = ({ visit, state }: { readonly visit: Visit; readonly state: EntryState }) => {
  const { form } = useTexts(serversWords);
  const drawn = { form: serverForm, typed: state.typed };
  return (
    <FormBelow visit={visit} of={serverForm} state={state} texts={form} first={<Fields {...drawn} of={first} />}>
      <div>
        <Fields {...drawn} of={access} />
      </div>
      <MoreFields {...drawn} of={connections} title={form.connections} />
      <MoreFields {...drawn} of={more} title={form.more} />
    </FormBelow>
  );
};

const serversOnPage = 50;

type CheckedServer = DoctorCheck & { readonly server: string };

const Sampling = ({ entry }: { entry: JsonObject }) => {
  const texts = useTexts(serversWords);
  const mode = String(entry["mode"] ?? "fulfil") as keyof typeof texts.modes; // as the API keeps it
  const association = String(entry["association"] ?? "auto") as keyof typeof texts.associations;
  const functions = Array.isArray(entry["functions"]) ? entry["functions"].length : 0;
  const more = [
    texts.associations[association],
    ...(entry["passAuthorization"] === true ? [texts.signsIn] : []),
    ...(entry["connections"] === undefined ? [] : [texts.connects]),
    ...(functions === 0 ? [] : [fillText(texts.functions, { n: functions })]),
    ...(entry["v1Tokens"] === undefined ? [] : [texts.tokens]),
  ];
  return (
    <>
      {texts.modes[mode]}
      <div class="soft">{more.join(" · ")}</div>
    </>
  );
};

type RowProps = {
  readonly visit: Visit;
  readonly name: string;
  readonly entry: JsonObject;
  readonly version: number;
  readonly use: SunsetLine | undefined;
  readonly stops: readonly Stopped[];
  /** Of its tools, so many wait for an operator; undefined where they are not pinned. */
  readonly waiting: number | undefined;
};

const ServerRow = ({ visit, name, entry, version, use, stops, waiting = 0 }: RowProps) => {
  const texts = useTexts(serversWords);
  const { row } = useTexts(toolsWords);
  const lastAt = [use?.lastAt, use?.v1.lastAt].flatMap((at) => (at == null ? [] : [Date.parse(at)]));
  return (
    <tr>
      <td class="main-cell">
        <a href={visit.at(`servers/${name}`)}>
          <Name value={name} />
        </a>{" "}
        <StoppedTag visit={visit} stop={{ scope: "server", server: name }} stops={stops} />
        {waiting === 0 ? null : (
          <>
            {" "}
            <a href={visit.at(`servers/${name}`)}>
              <Tag of="mind" icon="warning">
                {fillText(row.waiting, { n: waiting })}
              </Tag>
            </a>
          </>
        )}
      </td>
      <td class="full">
        <span class="digest">{String(entry["url"])}</span>
      </td>
      <td class="full">
        <Sampling entry={entry} />
      </td>
      <td data-k={texts.columns.used}>
        {use === undefined || lastAt.length === 0 ? (
          texts.never
        ) : (
          <>
            <Time at={Math.max(...lastAt)} now={visit.now} />
            <div>
              <a href={visit.at("requests", { server: name })}>
                {fill(texts.requests, { n: use.requests })}
                <span class="sr"> {name}</span>
              </a>
            </div>
          </>
        )}
      </td>
      <td class="end">
        <div class="row-acts">
          <a class="btn small" href={visit.at(`servers/${name}`)}>
            {row.link}
            <span class="sr"> {name}</span>
          </a>
          {visit.may("decide") ? (
            <Press visit={visit} to={visit.at("servers")} fields={{ check: name }} about={name}>
              {texts.check}
            </Press>
          ) : null}
          <StopHere visit={visit} stop={{ scope: "server", server: name }} stops={stops} called={name} from="servers" />
          <RowActs visit={visit} of={serverForm} name={name} version={version} texts={texts} />
        </div>
      </td>
    </tr>
  );
};

type ListProps = {
  readonly visit: Visit;
  readonly shown: readonly (readonly [name: string, entry: JsonObject])[];
  readonly count: number;
  readonly version: number;
  readonly use: readonly SunsetLine[];
  readonly stops: readonly Stopped[];
  readonly waiting: WaitingTools["servers"];
};

const Servers = ({ visit, shown, count, version, use, stops, waiting }: ListProps) => {
  const texts = useTexts(serversWords);
  const { columns } = texts;
  if (shown.length === 0) return <Empty>{texts.none}</Empty>;
  return (
    <List
      caption={fillText(texts.count, { n: count })}
      columns={[columns.name, columns.address, columns.mode, columns.used]}
      action={columns.action}
    >
      {shown.map(([name, entry]) => (
        <ServerRow
          visit={visit}
          name={name}
          entry={entry}
          version={version}
          use={use.find(({ server }) => server === name)}
          stops={stops}
          waiting={waiting.find(({ server }) => server === name)?.waiting}
        />
      ))}
    </List>
  );
};

/** What the check said, in the doctor's own English. */
const CheckNote = ({ of: { server, state, text } }: { of: CheckedServer }) => {
  const { checked } = useTexts(serversWords);
  return (
    <Note of={state === "good" ? "ok" : state === "fix" ? "bad" : "mind"}>
      <p>
        <b>
          <Name value={server} /> {checked[state]}
        </b>
      </p>
      <p lang="en">
        <Plain value={text} />
      </p>
    </Note>
  );
};

type Said = { readonly sent?: EntryState; readonly checked?: CheckedServer; readonly failure?: ApiError };

async function renderServers(visit: Visit, { sent, checked, failure }: Said = {}): Promise<PageAnswer> {
  const [{ current, state }, use, stops, { servers: waiting }] = await Promise.all([
    entryOn(visit, serverForm, sent),
    usesOf(visit),
    stopsOf(visit),
    visit.api.read(paths.admin.tools),
  ]);
  const texts = serversWords[visit.language];
  const entries = Object.entries(entriesIn(current, "servers"));
  const { shown, newer, older } = pageOf(visit, entries, serversOnPage);
  return {
    kind: "page",
    title: texts.title,
    ...(sent === undefined && failure === undefined ? {} : { status: 422 }),
    body: () => (
      <>
        <EntriesHead
          visit={visit}
          of={serverForm}
          texts={texts}
          lead={fill(texts.lead, { address: <span class="digest">{`${visit.publicUrl}/mcp/`}</span> })}
          state={state}
        />
        {failure === undefined ? null : <Refused failure={failure} />}
        <StopNote visit={visit} />
        {checked === undefined ? null : <CheckNote of={checked} />}
        <section class="card" aria-label={texts.title}>
          <Servers visit={visit} shown={shown} count={entries.length} version={current.version} use={use} stops={stops} waiting={waiting} />
        </section>
        <Pager newer={newer} older={older} />
        <p>
          <a href={visit.at("documents/servers")}>{texts.json}</a>
        </p>
        {visit.may("change") ? <ServerForm visit={visit} state={state} /> : null}
      </>
    ),
  };
}

/** The servers that sampled, by name; of more than 200 the first. */
const usesOf = async ({ api }: Visit): Promise<readonly SunsetLine[]> =>
  (await api.read(paths.admin.sunset, { query: { limit: "200" } })).servers;

const entries = entriesPage(serverForm, (visit, sent) => renderServers(visit, sent === undefined ? {} : { sent }));

async function act(visit: Visit): Promise<PageAnswer> {
  const checked = visit.form.get("check");
  if (checked === null) return entries.post(visit);
  const answer = await visit.api.send("POST", paths.admin.doctorServer, { server: checked });
  return renderServers(visit, answer.ok ? { checked: { ...answer.value, server: checked } } : { failure: answer.error });
}

export const serversPage: ConsolePage = { ...entries, post: act };
