// A plain line chart on two logarithmic axes, as SVG: the median of each point with its least and
// greatest figure, and a dashed line that shows what growing in proportion would be.

import { median } from "./report.ts";

export type Point = { readonly x: number; readonly values: readonly number[] };
export type Line = { readonly name: string; readonly points: readonly Point[] };
export type Chart = { readonly title: string; readonly x: string; readonly y: string; readonly lines: readonly Line[] };

const size = { width: 640, height: 360 };
const plot = { left: 70, top: 40, right: 620, bottom: 300 };
const colors = ["#0b5cad", "#b3450b", "#2f7d32", "#6a3ea1"];

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

type Scale = (value: number) => number;
const scale = (from: number, to: number, at: number, end: number): Scale => {
  const [low, high] = [Math.log10(from), Math.log10(to)];
  return (value) => at + ((Math.log10(value) - low) / (high - low || 1)) * (end - at);
};

/** The powers of ten around these values. */
function decades(values: readonly number[]): number[] {
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.max(Math.ceil(Math.log10(Math.max(...values))), first + 1);
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
}

const short = (value: number): string =>
  value >= 1e6 ? `${value / 1e6}M` : value >= 1e3 ? `${value / 1e3}k` : String(Number(value.toPrecision(3)));

export function chartSvg({ title, x, y, lines }: Chart): string {
  const all = lines.flatMap(({ points }) => points);
  const xs = decades(all.map((point) => point.x));
  const ys = decades(all.flatMap(({ values }) => [...values]));
  const atX = scale(xs[0] ?? 1, xs.at(-1) ?? 10, plot.left, plot.right);
  const atY = scale(ys[0] ?? 1, ys.at(-1) ?? 10, plot.bottom, plot.top);
  const text = (words: string, at: readonly [number, number], more = ""): string =>
    `<text x="${at[0].toFixed(1)}" y="${at[1].toFixed(1)}" ${more}>${escape(words)}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif" font-size="12" fill="#222">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${size.width}" height="${size.height}" fill="#fff"/>`,
    text(title, [plot.left, 22], `font-size="14" font-weight="bold"`),
    ...xs.map((each) => gridLine([atX(each), plot.top], [atX(each), plot.bottom])),
    ...ys.map((each) => gridLine([plot.left, atY(each)], [plot.right, atY(each)])),
    ...xs.map((each) => text(short(each), [atX(each), plot.bottom + 18], `text-anchor="middle"`)),
    ...ys.map((each) => text(short(each), [plot.left - 8, atY(each) + 4], `text-anchor="end"`)),
    text(x, [(plot.left + plot.right) / 2, plot.bottom + 38], `text-anchor="middle"`),
    text(y, [16, (plot.top + plot.bottom) / 2], `text-anchor="middle" transform="rotate(-90 16 ${(plot.top + plot.bottom) / 2})"`),
    proportional(lines[0]?.points ?? [], { atX, atY, highest: ys.at(-1) ?? 10, last: xs.at(-1) ?? 10 }),
    ...lines.map((line, index) => lineSvg(line, { color: colors[index % colors.length] ?? "#000", atX, atY })),
    ...lines.map(({ name }, index) =>
      text(name, [plot.left + index * 150, size.height - 6], `fill="${colors[index % colors.length] ?? "#000"}"`),
    ),
    text("dashed: in proportion", [plot.right, size.height - 6], `text-anchor="end" fill="#777"`),
    "</svg>",
    "",
  ].join("\n");
}

const gridLine = (from: readonly [number, number], to: readonly [number, number]): string =>
  `<line x1="${from[0].toFixed(1)}" y1="${from[1].toFixed(1)}" x2="${to[0].toFixed(1)}" y2="${to[1].toFixed(1)}" stroke="#ddd"/>`;

function lineSvg({ points }: Line, { color, atX, atY }: { readonly color: string; readonly atX: Scale; readonly atY: Scale }): string {
  const path = points.map(({ x, values }) => `${atX(x).toFixed(1)},${atY(median(values)).toFixed(1)}`).join(" ");
  const marks = points.map(({ x, values }) => {
    const at = atX(x).toFixed(1);
    const [least, most] = [atY(Math.min(...values)).toFixed(1), atY(Math.max(...values)).toFixed(1)];
    return `<line x1="${at}" y1="${least}" x2="${at}" y2="${most}" stroke="${color}"/><circle cx="${at}" cy="${atY(median(values)).toFixed(1)}" r="3" fill="${color}"/>`;
  });
  return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"/>${marks.join("")}`;
}

/** From the first point, as far as the chart goes. */
function proportional(
  points: readonly Point[],
  { atX, atY, highest, last }: { readonly atX: Scale; readonly atY: Scale; readonly highest: number; readonly last: number },
): string {
  const [first] = points;
  if (first === undefined) return "";
  const start = median(first.values);
  const times = Math.min(last / first.x, highest / start);
  return `<line x1="${atX(first.x).toFixed(1)}" y1="${atY(start).toFixed(1)}" x2="${atX(first.x * times).toFixed(1)}" y2="${atY(start * times).toFixed(1)}" stroke="#777" stroke-dasharray="4 4"/>`;
}
