// Charts, as SVG that the server makes: attributes alone, no style. Each has a sentence that says
// what it shows, and stands beside its numbers.

import type { Child } from "hono/jsx";

/**
 * A class of the stylesheet: approved, allowed, denied, what else went without a reply, and time.
 */
type BarClass = "b1" | "b2" | "b3" | "b4" | "b5";
export type BarPart = { readonly of: BarClass; readonly count: number };

/** One bar: parts that stand on the line, from it upwards, and parts that hang below it. */
export type Bar = { readonly up: readonly BarPart[]; readonly down: readonly BarPart[] };

/** `room`: for how many values there is; those of a month that is not over are fewer. */
type Line = { readonly values: readonly number[]; readonly room: number; readonly limit: number | undefined };

export type Plot = {
  /** What the chart shows, for those who do not see it. */
  readonly label: string;
  /** How far bars reach above and below their line; absent where that is said elsewhere. */
  readonly top?: (highest: number, lowest: number) => string;
  readonly marks: readonly Child[];
} & ({ readonly bars: readonly Bar[] } | { readonly line: Line });

const height = 100;
const step = 10;
const sumOf = (parts: readonly BarPart[]): number => parts.reduce((sum, { count }) => sum + count, 0);
const rounded = (n: number): number => Math.round(n * 100) / 100;

/** Rectangles one behind the other, from `from` on. Whatever is not nothing can be seen. */
function stacked(parts: readonly BarPart[], unit: number, place: (from: number, length: number) => number, x: number): Child[] {
  let from = 0;
  return parts.flatMap(({ of, count }) => {
    if (count === 0) return [];
    const length = Math.max(count * unit, 0.75);
    const y = place(from, length);
    from += length;
    return [<rect x={x} y={rounded(y)} width={step - 2} height={rounded(length)} class={of} />];
  });
}

const reachOf = (bars: readonly Bar[]): readonly [highest: number, lowest: number] => [
  Math.max(0, ...bars.map(({ up }) => sumOf(up))),
  Math.max(0, ...bars.map(({ down }) => sumOf(down))),
];

function drawnBars(bars: readonly Bar[], width: number): Child {
  const [highest, lowest] = reachOf(bars);
  const unit = height / Math.max(1, highest + lowest);
  const zero = highest * unit;
  return (
    <>
      <path class="gr" d={`M0 ${rounded(zero)}H${width}M0 0H${width}`} />
      {bars.map(({ up, down }, i) => [
        ...stacked(up, unit, (from, length) => zero - from - length, i * step + 1),
        ...stacked(down, unit, (from) => zero + from, i * step + 1),
      ])}
    </>
  );
}

function drawnLine({ values, limit }: Line, width: number): Child {
  const most = Math.max(...values, limit ?? 0) * 1.05 || 1;
  const yOf = (value: number): number => rounded(height - (value / most) * height);
  // A single value is a short stroke.
  const path = values.length === 1 ? `M0 ${yOf(values[0] ?? 0)}h3` : `M${values.map((value, i) => `${i * step} ${yOf(value)}`).join("L")}`;
  return (
    <>
      <path class="gr" d={`M0 ${height}H${width}`} />
      {limit === undefined ? null : <path class="ln dash" d={`M0 ${yOf(limit)}H${width}`} />}
      <path class="ln" d={path} />
    </>
  );
}

const Axis = ({ children }: { children: Child }) => (
  <div class="axis" aria-hidden="true">
    {children}
  </div>
);

const Drawing = ({ plot }: { plot: Plot }) => {
  const width = "bars" in plot ? plot.bars.length * step : Math.max(1, plot.line.room - 1) * step;
  return (
    <>
      {"bars" in plot && plot.top !== undefined ? <Axis>{plot.top(...reachOf(plot.bars))}</Axis> : null}
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={plot.label}>
        {"bars" in plot ? drawnBars(plot.bars, width) : drawnLine(plot.line, width)}
      </svg>
      <Axis>
        {plot.marks.map((mark) => (
          <span>{mark}</span>
        ))}
      </Axis>
    </>
  );
};

type ChartProps = {
  readonly title: string;
  /** What its colours mean, or what to know of it at once. */
  readonly beside: Child;
  /** Null: its numbers alone are shown, or that there are none. */
  readonly plot: Plot | null;
  readonly children?: Child;
};

/** `children`: the same as a table, and what belongs to it. */
export const Chart = ({ title, beside, plot, children }: ChartProps) => (
  <figure class="chart card">
    <figcaption class="head">
      <h2>{title}</h2>
      {beside}
    </figcaption>
    {plot === null ? null : <Drawing plot={plot} />}
    {children}
  </figure>
);

/** Parts of `most`, side by side. It stands beside its numbers, which say the same. */
export const Meter = ({ parts, most = 100 }: { parts: readonly BarPart[]; most?: number }) => {
  let x = 0;
  return (
    <svg class="meter" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      {parts.map(({ of, count }) => {
        const [from, width] = [x, most === 0 ? 0 : (count / most) * 100];
        x += width;
        return <rect class={of} x={rounded(from)} width={rounded(width)} height={10} />;
      })}
    </svg>
  );
};

/** The colour of a part, before its name. */
export const Swatch = ({ of }: { of: BarClass }) => (
  <svg viewBox="0 0 10 10" aria-hidden="true">
    <rect width="10" height="10" rx="2" class={of} />
  </svg>
);
