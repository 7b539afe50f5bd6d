// The time that a list is of: the last hours or days, or from one time to another by the clock of
// the operator's zone. It stands in the page's address, with its zone, so that a link means the
// same to whoever opens it. The browser's zone comes with a cookie that the console's script
// writes; without scripts it is chosen from a list.

import { isTimeZone, timeOnClock } from "../../../shared/zoned-time.ts";
import { Time } from "../names.tsx";
import { fill } from "../sentence.tsx";
import { Input, Select, filledWith } from "./fields.tsx";
import { type InLanguages, type Visit, useTexts } from "./page.ts";
import { Chips } from "./pieces.tsx";

const hourMs = 3_600_000;
const presets = { hour: hourMs, day: 24 * hourMs, week: 7 * 24 * hourMs, month: 30 * 24 * hourMs } as const;
type Preset = keyof typeof presets;
const presetNames = Object.keys(presets) as readonly Preset[]; // its own

/** The members of an address that say a time. */
export const rangeNames = ["range", "since", "until", "zone"] as const;

/** What an address says, by its members. */
type Said = Readonly<Record<string, string>>;

const en = {
  label: "Time",
  all: "All",
  presets: { hour: "Last hour", day: "24 hours", week: "7 days", month: "30 days" },
  from: "From",
  to: "To",
  zone: "Time zone",
  shown: "{since} to {until} ({zone})",
  sinceOnly: "Since {since} ({zone})",
  untilOnly: "Until {until} ({zone})",
};
const zhCN: typeof en = {
  label: "时间",
  all: "全部",
  presets: { hour: "最近 1 小时", day: "24 小时", week: "7 天", month: "30 天" },
  from: "从",
  to: "到",
  zone: "时区",
  shown: "{since} 至 {until}（{zone}）",
  sinceOnly: "自 {since}（{zone}）",
  untilOnly: "至 {until}（{zone}）",
};
const rangeWords: InLanguages<typeof en> = { en, "zh-CN": zhCN };

/** The zone by whose clock the address says its times. */
const zoneOf = ({ zone = "" }: Said, { zone: known }: Pick<Visit, "zone">): string =>
  zone !== "" && isTimeZone(zone) ? zone : (known ?? "UTC");

const wallTime = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}):(\d{2}))?$/;
const minuteMs = 60_000;

/** A field shows a day as its first or last minute. */
const asField = (text: string, last: boolean): string => (/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T${last ? "23:59" : "00:00"}` : text);

/**
 * As ISO 8601. What is no time of a clock stays, for the API to say so. The last minute is whole.
 */
function instantOf(text: string, last: boolean, zone: string): string {
  const [, date = "", hours, minutes] = wallTime.exec(asField(text, last)) ?? [];
  const at = date === "" ? Number.NaN : timeOnClock({ date, minutes: Number(hours) * 60 + Number(minutes) }, zone);
  return Number.isNaN(at) ? text : new Date(at + (last ? minuteMs : 0)).toISOString();
}

/** From when until when, in ISO 8601, as the API takes it; absent: without an end there. */
export function rangeOf(said: Said, visit: Pick<Visit, "zone" | "now">): { readonly since?: string; readonly until?: string } {
  const { range, since, until } = said;
  const preset = presetNames.find((each) => each === range);
  if (since === undefined && until === undefined && preset !== undefined)
    return { since: new Date(visit.now - presets[preset]).toISOString() };
  const zone = zoneOf(said, visit);
  return {
    ...(since === undefined ? {} : { since: instantOf(since, false, zone) }),
    ...(until === undefined ? {} : { until: instantOf(until, true, zone) }),
  };
}

/** The same for an address: a zone says nothing without a time. */
export const rangeIn = (query: URLSearchParams): Said => {
  const said = Object.fromEntries(
    rangeNames.flatMap((name) => {
      const value = (query.get(name) ?? "").trim();
      return value === "" ? [] : [[name, value] as const];
    }),
  );
  const { zone: _zone, range: _range, ...times } = said;
  const { zone = "" } = said;
  if (Object.keys(times).length > 0) return { ...times, ...(zone === "" ? {} : { zone }) };
  return presetNames.some((each) => each === said["range"]) ? { range: said["range"] ?? "" } : {};
};

type RangeProps = { readonly visit: Visit; readonly said: Said };

/** The fields of a form that a GET sends. */
export const RangeFields = ({ visit, said }: RangeProps) => {
  const words = useTexts(rangeWords);
  const zone = zoneOf(said, visit);
  const typed = filledWith({ since: asField(said["since"] ?? "", false), until: asField(said["until"] ?? "", true), zone });
  const isWall = (name: "since" | "until"): boolean => said[name] === undefined || wallTime.test(said[name]);
  const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((each) => each !== "UTC")];
  return (
    <>
      <Input typed={typed} name="since" label={words.from} type={isWall("since") ? "datetime-local" : "text"} />
      <Input typed={typed} name="until" label={words.to} type={isWall("until") ? "datetime-local" : "text"} />
      <div {...(visit.zone === null && said["zone"] === undefined ? { "data-zone": "" } : {})}>
        <Select typed={typed} name="zone" label={words.zone} options={zones.map((each) => [each, each.replaceAll("_", " ")] as const)} />
      </div>
    </>
  );
};

type ChipsProps = RangeProps & {
  /** The page's address with these members of a time in place of what it has. */
  readonly at: (said: Said) => string;
};

/** The last hours and days to choose from, and a time of one's own where the address has one. */
export const RangeChips = ({ visit, said, at }: ChipsProps) => {
  const words = useTexts(rangeWords);
  const { since, until } = rangeOf(said, visit);
  const isOwn = said["range"] === undefined && (since !== undefined || until !== undefined);
  const time = (text: string | undefined) => {
    const when = Date.parse(text ?? "");
    return Number.isNaN(when) ? "?" : <Time at={when} now={visit.now} />;
  };
  const own = since === undefined ? words.untilOnly : until === undefined ? words.sinceOnly : words.shown;
  return (
    <Chips
      label={words.label}
      of={[
        { name: words.all, href: at({}), isCurrent: said["range"] === undefined && !isOwn },
        ...presetNames.map((range) => ({ name: words.presets[range], href: at({ range }), isCurrent: said["range"] === range })),
      ]}
    >
      {isOwn ? <span class="soft">{fill(own, { since: time(since), until: time(until), zone: zoneOf(said, visit) })}</span> : null}
    </Chips>
  );
};
