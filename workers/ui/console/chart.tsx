// Charts, as SVG that the server makes: attributes alone, no style. Each has a sentence that says
// what it shows, and stands beside a table.

import type { Child } from "hono/jsx";

/**
 * A class of the stylesheet: approved, allowed, denied, what else went without a reply, and time.
 */
export type BarClass = "b1" | "b2" | "b3" | "b4" | "b5";
export type BarPart = { readonly of: BarClass; readonly count: number };

/** One bar: parts that stand on the line, from it upwards, and parts that hang below it. */
export type Bar = { readonly up: readonly BarPart[]; readonly down: readonly BarPart[] };

const height = 100;
const step = 10;
const sumOf = (parts: readonly BarPart[]): number => parts.reduce((sum, { count }) => sum + count, 0);
const rounded = (n: number): number => Math.round(n * 100) / 100;

/** Rectangles one behind the other, from `from` on. Whatever is not nothing can be seen. */
function stacked(parts: readonly BarPart[], unit: number, place: (from: number, length: number) => { y: number }, x: number): Child[] {
  let from = 0;
  return parts.flatMap(({ of, count }) => {
    if (count === 0) return [];
    const length = Math.max(count * unit, 0.75);
    const { y } = place(from, length);
    from += length;
    return [<rect x={x} y={rounded(y)} width={step - 2} height={rounded(length)} class={of} />];
  });
}

/**
 * `label`: what the chart shows, for those who do not see it. `top`: how far it reaches above and
 * below its line; absent where that is said elsewhere.
 */
export const Bars = ({ bars, label, top }: { bars: readonly Bar[]; label: string; top?: (highest: number, lowest: number) => string }) => {
  const [highest, lowest] = [Math.max(0, ...bars.map(({ up }) => sumOf(up))), Math.max(0, ...bars.map(({ down }) => sumOf(down)))];
  const unit = height / Math.max(1, highest + lowest);
  const zero = highest * unit;
  const width = bars.length * step;
  return (
    <>
      {top === undefined ? null : (
        <div class="axis" aria-hidden="true">
          {top(highest, lowest)}
        </div>
      )}
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <path class="gr" d={`M0 ${rounded(zero)}H${width}M0 0H${width}`} />
        {bars.map(({ up, down }, i) => [
          ...stacked(up, unit, (from, length) => ({ y: zero - from - length }), i * step + 1),
          ...stacked(down, unit, (from) => ({ y: zero + from }), i * step + 1),
        ])}
      </svg>
    </>
  );
};

type LineProps = {
  readonly values: readonly number[];
  /** How many values there is room for: those of a month that is not over are fewer. */
  readonly room: number;
  /** A second line across all of it, such as a limit. */
  readonly limit?: number;
  readonly label: string;
};

export const Line = ({ values, room, limit, label }: LineProps) => {
  const width = Math.max(1, room - 1) * step;
  const most = Math.max(...values, limit ?? 0) * 1.05 || 1;
  const yOf = (value: number): number => rounded(height - (value / most) * height);
  // A single value is a short stroke.
  const path = values.length === 1 ? `M0 ${yOf(values[0] ?? 0)}h3` : `M${values.map((value, i) => `${i * step} ${yOf(value)}`).join("L")}`;
  return (
    <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <path class="gr" d={`M0 ${height}H${width}`} />
      {limit === undefined ? null : <path class="ln dash" d={`M0 ${yOf(limit)}H${width}`} />}
      <path class="ln" d={path} />
    </svg>
  );
};

/** A share of the greatest, in parts. It stands beside its number, which says the same. */
export const Meter = ({ parts, most }: { parts: readonly BarPart[]; most: number }) => {
  let x = 0;
  return (
    <svg class="meter" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      {parts.map(({ of, count }) => {
        const [from, width] = [x, most === 0 ? 0 : (count / most) * 100];
        x += width;
        return width === 0 ? null : <rect x={rounded(from)} y={0} width={rounded(width)} height={10} class={of} />;
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
