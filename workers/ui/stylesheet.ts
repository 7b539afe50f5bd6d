// The one stylesheet: phone first, light and dark, text of 16 px and more, targets of 44 px. A
// constant. No style attribute is needed, so that the policy of the pages allows this style alone.

import { modelsOnButton } from "./models.tsx";

/**
 * A rule for each model: the decision bar names the model whose radio button is checked, without a
 * script.
 */
const modelRules = Array.from({ length: modelsOnButton }, (_, i) => `form:has(#model-${i}:checked) .to-${i}`).join(",");

const tokens = `
:root {
  color-scheme: light dark;
  --page: #f3f4f6; --card: #ffffff; --sunk: #e9ebef;
  --ink: #14171b; --soft: #4c5560; --line: #d3d7dd; --control: #6d7682;
  --link: #1c4cb8; --focus: #1c4cb8; --link-tint: #e8eefb;
  --yes: #0d6a3f; --yes-ink: #ffffff; --yes-tint: #e2f3ea;
  --no: #a51d18; --no-ink: #ffffff; --no-tint: #fdeceb;
  --warn: #7b4a00; --warn-tint: #fff2d6;
  --out: #6c46a3; --out-tint: #fbf9fe; --out-line: #c9b9e0; --out-ink: #ffffff;
  --add: #cdeed8; --cut: #fbd6d3;
  --r: .625rem; --r-s: .5rem; --hit: 2.75rem;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
  --stripes: repeating-linear-gradient(-45deg, var(--out) 0 2px, transparent 2px 6px) 0 0 / .625rem 100% no-repeat;
  --raised: 0 1px 2px #0000000f, 0 6px 24px #00000017;
  --safe: env(safe-area-inset-bottom, 0px);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1216; --card: #171b21; --sunk: #20262e;
    --ink: #e8eaee; --soft: #aab3bf; --line: #303843; --control: #87919e;
    --link: #9abcff; --focus: #9abcff; --link-tint: #1b2740;
    --yes: #57cf90; --yes-ink: #03200f; --yes-tint: #12301f;
    --no: #ff9d95; --no-ink: #2b0503; --no-tint: #3a1816;
    --warn: #ffc96b; --warn-tint: #33270e;
    --out: #b795f0; --out-tint: #17141f; --out-line: #4d3d6b; --out-ink: #1b0f30;
    --add: #174a2d; --cut: #5c2522;
    --raised: 0 1px 2px #0006, 0 8px 28px #0009;
  }
}
`;

const base = `
*, ::before, ::after { box-sizing: border-box; }
html { font: 100%/1.5 var(--sans); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding: 1rem 0 10rem; }
body { margin: 0; background: var(--page); color: var(--ink); overflow-wrap: anywhere; }
h1, h2, p, ul, ol, dl, dd, fieldset, legend { margin: 0; padding: 0; border: 0; }
ul, ol { list-style: none; }
h1 { font-size: 1.3125rem; line-height: 1.3; font-weight: 400; color: var(--soft); }
h1.said-by-us { font-weight: 650; color: var(--ink); text-wrap: balance; }
h2 { font-size: 1rem; line-height: 1.5; font-weight: 600; }
a { color: var(--link); text-underline-offset: .2em; text-decoration-thickness: .06em; }
b, strong { font-weight: 600; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: var(--r-s); }
.soft, .hint { color: var(--soft); }
.num { font-variant-numeric: tabular-nums; white-space: nowrap; }
.name { font-family: var(--mono); font-size: 1rem; font-weight: 600; white-space: pre-wrap; unicode-bidi: isolate; }
.person .name { font: inherit; }
.plain { white-space: pre-line; unicode-bidi: isolate; }
h1 .name, .effect .name { display: -webkit-inline-box; -webkit-box-orient: vertical; -webkit-line-clamp: 4; max-width: 100%; overflow: hidden; overflow-wrap: anywhere; vertical-align: bottom; font: 650 1.3125rem/1.3 var(--sans); color: var(--ink); }
.i { width: 1.25rem; height: 1.25rem; flex: none; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; vertical-align: -.25rem; }
.i-dots { stroke-width: 3.5; }
.sr, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; min-height: 0; padding: 0; margin: -1px; border: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip:focus { position: fixed; z-index: 9; top: .5rem; left: .5rem; }
kbd { display: inline-block; min-width: 1.6em; padding: 0 .35em; border: 1px solid var(--control); border-bottom-width: 2px; border-radius: .3em; font: 600 1rem/1.5 var(--mono); text-align: center; }
code { font-family: var(--mono); font-size: 1rem; }
`;

const controls = `
.btn { display: inline-flex; align-items: center; justify-content: center; gap: .5rem; min-height: 3rem; padding: .5rem 1rem; border: 1.5px solid var(--control); border-radius: var(--r-s); background: var(--card); color: var(--ink); font: 600 1rem/1.25 var(--sans); text-align: center; text-decoration: none; text-wrap: balance; cursor: pointer; }
.btn:hover { background: var(--sunk); }
.btn.yes { border-color: var(--yes); background: var(--yes); color: var(--yes-ink); }
.btn.no { border-color: var(--no); color: var(--no); }
.btn.no.solid { background: var(--no); color: var(--no-ink); }
.btn.yes:hover { background: color-mix(in srgb, var(--yes) 88%, var(--ink)); }
.btn.no.solid:hover { background: color-mix(in srgb, var(--no) 88%, var(--ink)); }
.btn.despite { border: 2px solid var(--yes); color: var(--yes); }
.btn.small { min-height: var(--hit); }
.btn:disabled, .btn[inert] { border: 1.5px dashed var(--control); background: none; color: var(--soft); cursor: not-allowed; }
.act { display: inline-flex; align-items: center; gap: .375rem; min-height: var(--hit); min-width: var(--hit); padding: 0 .25rem; border: 0; background: none; color: var(--link); font: 600 1rem/1.5 var(--sans); cursor: pointer; }
.act:hover { text-decoration: underline; }
label { display: block; font-weight: 600; }
input:not([type=radio], [type=hidden]), select, .field { display: block; width: 100%; min-height: var(--hit); padding: .5rem .75rem; border: 1px solid var(--control); border-radius: var(--r-s); background: var(--card); color: var(--ink); font: 1rem/1.5 var(--sans); }
select { text-overflow: ellipsis; }
textarea { display: block; width: 100%; margin: 0; min-height: var(--hit); resize: vertical; overflow-wrap: anywhere; field-sizing: content; border: 0; border-radius: 0; color: inherit; font: 1rem/1.5 var(--sans); }
@supports (field-sizing: content) { textarea { resize: none; } }
textarea.field { min-height: 4.5rem; border: 1px solid var(--control); border-radius: var(--r-s); }
input.narrow { max-width: 8rem; }
.field.mono { font-family: var(--mono); }
[aria-invalid="true"] { outline: 2px solid var(--no); outline-offset: -2px; }
.fault { color: var(--no); font-weight: 600; }
summary { cursor: pointer; list-style: none; min-height: var(--hit); }
summary::-webkit-details-marker { display: none; }
.chev { display: flex; align-items: center; gap: .5rem; font-weight: 600; }
.chev::before { content: ""; flex: none; width: .5rem; height: .5rem; margin: 0 .25rem 0 .125rem; border: solid currentColor; border-width: 0 2px 2px 0; transform: rotate(-45deg); }
details[open] > .chev::before { transform: rotate(45deg) translate(-1px, -1px); }
`;

const chrome = `
.top { display: flex; align-items: center; gap: 1rem; min-height: 3.25rem; padding: 0 1rem; border-bottom: 1px solid var(--line); background: var(--card); }
.brand { display: inline-flex; flex: none; align-items: center; gap: .5rem; min-height: var(--hit); font-weight: 650; }
.brand .i { width: 1.5rem; height: 1.5rem; color: var(--yes); }
.top .act { flex: none; white-space: nowrap; }
.top .end { margin-left: auto; display: flex; align-items: center; gap: 1rem; min-width: 0; }
.reader { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.reader .name { font: inherit; white-space: nowrap; }
.wide { display: none !important; } @media (min-width: 48rem) { .phone { display: none; } } @media (max-width: 47.99rem) { .desk { display: none; } }
.help { max-width: 24rem; padding: 1.25rem; border: 1px solid var(--control); border-radius: var(--r); background: var(--card); color: var(--ink); box-shadow: var(--raised); }
.help dl { display: grid; grid-template-columns: auto 1fr; gap: .5rem 1rem; margin: .75rem 0; }
.wrap { max-width: 70rem; margin: 0 auto; padding: 1rem; }
.plain-page { max-width: 46rem; } .plain-page > * + *, .plain-page form > * + * { margin-top: 1rem; }
.card { padding: 1rem; border: 1px solid var(--line); border-radius: var(--r); background: var(--card); }
.path { list-style: none; margin: 0; padding: 0; }
.path > li { position: relative; padding: 0 0 1rem 2.25rem; }
.path > li::before { content: ""; position: absolute; left: .6875rem; top: 1.5rem; bottom: -.125rem; width: 2px; background: var(--line); }
.path > li:last-child::before { display: none; }
.path .dot { position: absolute; left: 0; top: 0; width: 1.5rem; height: 1.5rem; display: grid; place-items: center; border: 2px solid var(--control); border-radius: 50%; background: var(--card); color: var(--soft); }
.path .dot .i { width: .875rem; height: .875rem; stroke-width: 3; }
.path .ok > .dot { border-color: var(--yes); background: var(--yes); color: var(--yes-ink); }
.path .now > .dot { border-color: var(--link); border-style: dashed; color: var(--link); }
.path .todo, .path .at { color: var(--soft); }
.path > li:last-child { padding-bottom: 0; } #next > .soft { margin-top: .75rem; } .note .path { margin-top: .375rem; }
.note { display: flex; gap: .625rem; padding: .625rem .875rem; border: 1px solid var(--line); border-left-width: .375rem; border-radius: var(--r-s); background: var(--card); }
.note > .i { margin-top: .125rem; }
.note > div { min-width: 0; } .note > div > * + form { margin-top: .5rem; }
.note.ok { border-color: var(--yes); background: var(--yes-tint); } .note.ok > .i { color: var(--yes); }
.note.bad { border-color: var(--no); background: var(--no-tint); } .note.bad > .i { color: var(--no); }
.note.mind { border-color: var(--warn); background: var(--warn-tint); } .note.mind > .i { color: var(--warn); }
.note.news { border-color: var(--link); background: var(--link-tint); }
`;

const review = `
.review { display: block; padding-bottom: calc(10rem + var(--safe)); }
.review.closed { padding-bottom: 2rem; }
.lead > * + * { margin-top: .375rem; }
.lead > .note, .lead > .warnings, .lead > .parts { margin-top: .75rem; }
.steps { display: flex; flex-wrap: wrap; gap: 0 .5rem; color: var(--soft); }
.steps li + li::before { content: "›"; margin-right: .5rem; }
.steps [aria-current] { color: var(--ink); font-weight: 600; }
.steps .done::after { content: " ✓" / ""; color: var(--yes); font-weight: 700; }
.strip { display: flex; flex-wrap: wrap; gap: 0 .75rem; color: var(--soft); }
.strip b { color: var(--ink); } .strip:empty { display: none; }
.soon { color: var(--no) !important; }
.content, .rail { margin-top: 1rem; min-width: 0; }
.content > * + *, .rail > * + * { margin-top: 1rem; }
.clock { display: none; }
.warnings { border: 1.5px solid var(--no); border-radius: var(--r); background: var(--no-tint); }
.warnings.mind { border-color: var(--warn); background: var(--warn-tint); }
.warnings.past { border-color: var(--line); background: var(--card); }
.warnings h2 { display: flex; align-items: center; gap: .5rem; padding: .375rem .875rem .125rem; color: var(--no); }
.warnings.mind h2 { color: var(--warn); } .warnings.past h2 { color: var(--soft); }
.warnings li, .warnings a { display: flex; gap: 0 .625rem; align-items: center; line-height: 1.3; min-height: var(--hit); color: var(--ink); }
.warnings li > * { flex: 1; min-width: 0; } .warnings li > .pin { flex: none; } .warnings li:not(:has(a)), .warnings a { padding: 0 .875rem; }
.warnings a { text-decoration: none; }
.warnings a::after { content: "↓" / ""; flex: none; margin-left: auto; color: var(--soft); }
.warnings a:hover { text-decoration: underline; }
/* Rows of 43 px with targets of 44. */
.warnings li + li { margin-top: -1px; border-top: 1px solid color-mix(in srgb, var(--soft) 25%, transparent); } .warnings li + li > a { margin-top: -1px; }
.pin { flex: none; display: inline-grid; place-items: center; min-width: 1.5rem; height: 1.5rem; border-radius: .75rem; background: var(--soft); color: var(--card); font: 600 1rem/1 var(--sans); user-select: none; }
.pin::before { content: attr(data-n); } .pin.high { background: var(--no); color: var(--no-ink); } .pin.medium { background: var(--warn); color: var(--warn-tint); } .closed .pin { background: var(--soft); color: var(--card); }
.votes li { display: flex; gap: .5rem; align-items: flex-start; padding: .125rem 0; }
.votes .i { margin-top: .125rem; } .votes .ok .i { color: var(--yes); } .votes .wait { color: var(--soft); }
.facts { border: 1px solid var(--line); border-radius: var(--r); background: var(--card); }
.facts > summary { min-height: 3rem; padding: 0 .875rem; }
.facts > summary .soft { margin-left: auto; font-weight: 400; }
.facts dl { padding: .25rem .875rem .875rem; }
.facts dl > div + div { margin-top: .625rem; }
.facts .pair { display: flex; gap: .25rem .75rem; flex-wrap: wrap; justify-content: space-between; }
.facts .pair > dd { text-align: right; }
.facts .changed { padding: .5rem; margin-inline: -.5rem; outline: 2px solid var(--link); border-radius: var(--r-s); }
.facts ul > li + li, .facts dd > p + p { margin-top: .25rem; }
.facts .parts { margin-top: .25rem; }
.facts .beside { display: grid; grid-template-columns: 1fr auto; align-items: center; } .facts .beside > dd { display: contents; } .facts .beside .narrow { width: 8rem; } .facts .beside :is(.hint, .fault) { grid-column: 1 / -1; text-align: right; }
dt, dt > label { color: var(--soft); font-weight: 400; }
.mind { color: inherit; } .facts .mind { display: flex; gap: .375rem; color: var(--warn); line-height: 1.35; } .facts .mind .i { width: 1.125rem; height: 1.125rem; margin-top: .125rem; }
.sure { display: block; }
.facts div:has(> dd > .why:only-child:not([open])) { display: flex; align-items: center; justify-content: space-between; } .why > summary { color: var(--soft); font-weight: 400; } .models li + li { border-top: 1px solid var(--line); }
.models li > * { display: block; }
.models li { padding: .25rem 0; }
.to { display: none; }
@supports selector(:has(a)) { ${modelRules} { display: inline; } }
@supports not selector(:has(a)) { .to-0 { display: inline; } }
.ours { border: 1px solid var(--line); border-radius: var(--r); background: var(--card); }
.ours > summary { min-height: 3rem; padding: .5rem .875rem; flex-wrap: wrap; }
.ours > .in { padding: 0 .875rem .875rem; }
.ours > .in > * + * { margin-top: .75rem; }
.big-host, .big-host .name { font: 700 1.75rem/1.3 var(--sans); overflow-wrap: anywhere; }
.card.stack > * + * { margin-top: 1rem; } .stack legend { font-weight: 600; } textarea.line { min-height: var(--hit); }
.stack .fault, .stack .hint { margin-top: .25rem; }
.check { display: flex; gap: .625rem; align-items: center; min-height: var(--hit); font-weight: 400; cursor: pointer; }
.check input:not([type=radio]) { flex: none; width: 1.5rem; height: 1.5rem; min-height: 0; padding: 0; margin: 0; accent-color: var(--link); }
.values { white-space: normal; } .values > div + div { margin-top: .5rem; } .values dd, .values li { white-space: pre-wrap; }
.vectors { padding-left: 2.5rem; list-style: decimal; font-family: var(--mono); }
.card > * + * { margin-top: .5rem; }
.pairs { display: grid; grid-template-columns: minmax(6.5rem, max-content) minmax(0, 1fr); gap: .375rem 1rem; } .digest { font-family: var(--mono); }
.wrap.narrow { max-width: 38rem; } .narrow > * + * { margin-top: 1rem; }
.narrow pre { margin: 0; padding: .625rem .875rem; border-radius: var(--r-s); background: var(--sunk); font: 1rem/1.5 var(--mono); white-space: pre-wrap; }
`;

/** Text from outside: the striped gutter is never ours, and never missing. */
const outside = `
.parts { border: 1px solid var(--out-line); border-radius: var(--r); background: var(--card); contain: paint; }
.origin { display: flex; align-items: center; padding: .375rem .875rem .375rem 0; border-bottom: 1px solid var(--out-line); background: var(--out-tint); color: var(--out); }
.origin::before { content: ""; flex: none; align-self: stretch; width: .625rem; margin: -.375rem .875rem -.375rem 0; background: var(--stripes); }
.origin > span { min-width: 0; }
.origin .name { font: 600 1rem/1.5 var(--sans); }
.part + .part { border-top: 1px solid var(--out-line); }
.part > header, .part > summary { display: flex; flex-wrap: wrap; align-items: center; gap: 0 .5rem; min-height: var(--hit); padding: 0 .875rem; }
.part:not(.changed) > header { flex-wrap: nowrap; }
.part > header > h2, .part > summary > h2 { min-width: 0; padding-block: .375rem; }
.part > summary > h2 { flex: 1 1 5.5rem; } .part > summary > .size { padding-block: .375rem; }
.part .act, .size { margin-left: auto; }
.part .act { flex: none; white-space: nowrap; }
.size { color: var(--soft); font-weight: 400; }
.said { margin: 0; padding: .625rem .875rem .75rem 1.5rem; border-top: 1px solid var(--out-line); background: var(--stripes), var(--out-tint); font: 1rem/1.5 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; tab-size: 4; }
textarea.said { border-top: 1px solid var(--out-line); outline-offset: -3px; overflow: auto; }
.origin + .said, .handed > .origin + .said { border-top: 0; }
.lines > summary, .edit > summary { padding: 0 .875rem; border-top: 1px solid var(--out-line); color: var(--soft); font-weight: 400; }
.edit > summary { color: var(--link); font-weight: 600; }
.tall .edit > summary { padding: 0; border: 0; }
/* Behind its text, so that it is read first; seen in the heading, as the other fields' "Edit". */
.part:has(> .edit) { position: relative; } .part:has(> .edit) > header { padding-right: 6.5rem; }
.part > header ~ .edit > summary { position: absolute; top: 0; right: 0; border: 0; }
.part:has(> .edit[open]) > .view { display: none; }
.stretch { content-visibility: auto; contain-intrinsic-size: auto 40rem; unicode-bidi: plaintext; }
.unseen { padding: 0 .35em; border-radius: .25em; background: var(--out); color: var(--out-ink); font: 600 1rem/1.4 var(--sans); white-space: normal; -webkit-box-decoration-break: clone; box-decoration-break: clone; unicode-bidi: isolate; }
mark { padding: 0 .15em; border-radius: .2em; background: none; color: inherit; box-shadow: 0 0 0 1.5px var(--soft); -webkit-box-decoration-break: clone; box-decoration-break: clone; }
mark.high { background: var(--no-tint); box-shadow: 0 0 0 1.5px var(--no); } mark.medium { background: var(--warn-tint); box-shadow: 0 0 0 1.5px var(--warn); } .closed mark { background: none; box-shadow: 0 0 0 1.5px var(--soft); }
mark .pin, .pins .pin { min-width: 1.25rem; height: 1.25rem; margin-right: .25rem; border-radius: .25rem; scroll-margin: 4rem 0 11rem; } .pin:target, mark:has(.pin:target) { outline: 3px solid var(--focus); outline-offset: 1px; }
mark:has(> .gap) { display: flex; flex-wrap: wrap; align-items: center; } mark > .gap { flex: 1; margin: .125rem 0; }
.said:has(mark) { line-height: 1.75; }
.unseen.gap { display: block; margin: .375rem 0; padding: .25rem .75rem; text-align: center; }
.values { padding: 0; } ol.values { padding-left: 2rem; list-style: decimal; } .values .values { margin-top: .125rem; }
dl.values { display: grid; grid-template-columns: fit-content(45%) minmax(0, 1fr); gap: .125rem 1rem; } dl.values > div { display: contents; } .values dt { font-weight: 600; }
@media (max-width: 47.99rem) { dl.values > .long > * { grid-column: 1 / -1; } dl.told { grid-template-columns: minmax(0, 1fr); } dl.told dd { margin-bottom: .5rem; } }
dl.values > div:has(> dd > .values) > * { grid-column: 1 / -1; } dl.values > div > dd > dl.values { padding-left: 1rem; } dl.values > div > dd > ol.values { padding-left: 2.5rem; }
.args { padding: .25rem .875rem .875rem; } .args > * + *, .group > * + *, .absent > * + * { margin-top: .75rem; }
.arg > .head { display: flex; flex-wrap: wrap; align-items: center; gap: 0 .5rem; } .arg > .head > .check { margin-left: auto; }
.arg.changed { padding: .5rem; margin-inline: -.5rem; outline: 2px solid var(--link); border-radius: var(--r-s); }
.arg > .diff { margin: .25rem 0; border: 0; border-radius: var(--r-s); } .arg > .hint, .arg > .fault { margin: .125rem 0; }
div.as { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .5rem; } select.as { flex: 1 1 12rem; min-width: 0; } div.as > :is(.fault, .hint) { flex-basis: 100%; overflow-wrap: anywhere; } html[data-script] div.as:not(.failed) > .act { display: none; }
.arg > textarea.field { min-height: var(--hit); }
.group { min-width: 0; padding: .25rem .75rem .75rem; border: 1px solid var(--line); border-radius: var(--r-s); } .group > legend { padding: 0 .375rem; font-weight: 600; }
.group .group { padding: .25rem 0 .25rem .75rem; border-width: 0 0 0 1px; border-radius: 0; }
.args > .absent { border-top: 1px solid var(--line); } .absent > summary { color: var(--link); }
.check { display: flex; gap: .625rem; align-items: center; min-height: var(--hit); font-weight: 400; }
.check > input[type=checkbox], .queue .pick input { flex: none; width: 1.5rem; height: 1.5rem; min-height: 0; margin: 0; padding: 0; accent-color: var(--link); }
.media { display: block; max-width: 100%; height: auto; }
audio.media { width: 100%; height: 3.375rem; }
img.media { background: repeating-conic-gradient(#8883 0 25%, #fff3 0 50%) 0 0 / 1rem 1rem; min-width: 2rem; min-height: 2rem; border: 1px solid var(--out-line); }
ins, del { padding: 0 .1em; border-radius: .15em; color: inherit; text-decoration-thickness: .1em; }
ins { background: var(--add); text-decoration: underline; }
del { background: var(--cut); text-decoration: line-through; }
.part.changed { position: relative; outline: 2px solid var(--link); outline-offset: -2px; border-radius: .25rem; }
.badge { flex: none; padding: 0 .5rem; border-radius: 1rem; background: var(--link); color: var(--card); font-weight: 600; }
.sub { padding: .25rem .875rem; border-top: 1px solid var(--out-line); color: var(--soft); }
.sub.fault { color: var(--no); }
:target { outline: 3px solid var(--focus); outline-offset: -3px; }
/* Without a script: a field that a person has changed keeps its fold open. */
html:not([data-script]) :is(.part, .edit, .facts):has(textarea:user-valid)::details-content, details.changed::details-content, :is(.part, .edit, .facts):has(.changed)::details-content, html:not([data-script]) :is(.edit, .absent):has(.arg :user-valid)::details-content { content-visibility: visible; block-size: auto; }
`;

/** The inbox: its list, and reviews that are shown together. */
const inbox = `
.inbox > * + *, .together > * + * { margin-top: .75rem; }
.chips { display: flex; gap: .5rem; overflow-x: auto; margin: 0 -1rem; padding: .25rem 1rem; scrollbar-width: none; }
.chip { display: inline-flex; align-items: center; min-height: var(--hit); padding: 0 .875rem; border: 1px solid var(--control); border-radius: 1.5rem; background: var(--card); color: var(--ink); font-weight: 600; text-decoration: none; white-space: nowrap; }
.chip[aria-current] { border-color: var(--ink); background: var(--ink); color: var(--card); }
.tag { display: inline-flex; align-items: center; gap: .3rem; padding: 0 .5rem; border-radius: 1rem; border: 1px solid var(--line); background: var(--sunk); color: var(--ink); font-weight: 600; }
.tag.ok { border-color: var(--yes); background: var(--yes-tint); color: var(--yes); }
.tag.bad { border-color: var(--no); background: var(--no-tint); color: var(--no); }
.tag.mind { border-color: var(--warn); background: var(--warn-tint); color: var(--warn); }
.tag .i { width: 1rem; height: 1rem; vertical-align: 0; }
.queue { border: 1px solid var(--line); border-radius: var(--r); background: var(--card); }
.queue > li { display: grid; grid-template-columns: var(--hit) minmax(0, 1fr); padding: .5rem .875rem .75rem .25rem; }
.queue > .group, .queue.done > li { grid-template-columns: minmax(0, 1fr); padding-left: .875rem; }
.queue > li + li { border-top: 1px solid var(--line); }
.queue > .group { background: var(--link-tint); }
.pick { display: grid; place-items: center; width: var(--hit); height: var(--hit); flex: none; position: relative; }
.queue a.open { display: block; padding: .5rem 0 0; color: inherit; text-decoration: none; }
.queue a.open:hover h2 { text-decoration: underline; }
.queue .said { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; margin-top: .375rem; padding-block: 0; border: 0; white-space: normal; }
.queue h2, .one > h2 { font-weight: 400; color: var(--soft); } .queue > .group h2 { font-weight: 600; color: var(--ink); }
.queue .name, .one > h2 .name { color: var(--ink); font: 600 1rem/1.5 var(--sans); }
.meta { display: flex; flex-wrap: wrap; gap: .25rem .75rem; margin-top: .375rem; color: var(--soft); }
.meta b { color: var(--ink); } .meta a { display: inline-flex; align-items: center; min-height: 1.5rem; font-weight: 600; }
.meta .soon, .meta.soon { font-weight: 600; }
.over h2, .over .meta > :not(.tag) { text-decoration: line-through; }
.batch { position: sticky; z-index: 2; bottom: 0; display: flex; flex-wrap: wrap; gap: .625rem; align-items: center; margin: 1rem -1rem 0; padding: .625rem 1rem calc(.625rem + var(--safe)); border-top: 1px solid var(--line); background: var(--card); box-shadow: var(--raised); }
.batch[hidden] { display: none; } .batch .btn { flex: 1 1 auto; } .batch p:empty { display: none; }
.pages { display: flex; flex-wrap: wrap; gap: .625rem; align-items: center; justify-content: space-between; margin-top: .75rem; }
.devices [hidden] { display: none; } .devices li { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: .5rem; padding: .5rem 0; } .devices > .in { padding-top: .875rem; } .devices ul { padding: 0; margin: 0; list-style: none; }
.leave { display: flex; flex-wrap: wrap; gap: 1rem; }
.lines { list-style: none; margin: 0; padding: 0; } .lines > li { display: flex; gap: .75rem; align-items: center; justify-content: space-between; padding: .5rem 0; } .lines > li + li { border-top: 1px solid var(--line); } .lines > li > p { min-width: 0; } .lines > li > .btn { flex: none; min-height: var(--hit); }
.series { list-style: none; margin: 0; padding: .25rem .875rem; } .series > li + li { border-top: 1px solid var(--line); } .series > .over { opacity: .6; }
.series .check { gap: 0; align-items: start; cursor: auto; } .series .whole { flex: 1; min-width: 0; padding: .125rem 0; } .series .said { border-top: 0; } .meta:empty { display: none; }
@media (max-width: 47.99rem) { .series { padding-inline: 0; } .series .said { padding-inline: 1.25rem .25rem; } }
.alone { justify-content: center; text-decoration: none; } .alone::after { content: "→" / ""; }
.one { padding-top: 1rem; border-top: 2px solid var(--line); } .one > * + * { margin-top: .75rem; }
#decision.card > .btn { width: 100%; }
`;

/** A bar at the bottom of a phone, a card beside the content on a desktop. */
const decision = `
.decide { position: fixed; z-index: 3; inset: auto 0 0; padding: .5rem 1rem calc(.75rem + var(--safe)); border-top: 1px solid var(--line); background: var(--card); box-shadow: var(--raised); }
.effect { margin-bottom: .375rem; color: var(--soft); line-height: 1.35; }
.effect b { color: var(--ink); }
.effect .name { max-width: calc(100% - .5rem); font: 600 1rem/1.35 var(--sans); }
.row { display: flex; gap: .625rem; align-items: stretch; }
.row > .approve { flex: 2.4 1 0; padding-inline: .5rem; }
.row > .deny { flex: .85 1 0; overflow-wrap: normal; } .row > .deny:only-child { flex: 1; }
.up > summary { width: 100%; height: 100%; padding-inline: .5rem; }
.row > .more { flex: 0 0 3rem; }
.more .word, .decide .votes { display: none; }
.up > .panel { position: absolute; z-index: 4; inset: auto .5rem calc(100% + .5rem); max-height: 70vh; max-height: 70dvh; overflow: auto; padding: 1rem; border: 1px solid var(--control); border-radius: var(--r); background: var(--card); box-shadow: var(--raised); }
.up[open] > summary { background: var(--sunk); color: var(--ink); }
.panel > * + *, .menu .in > * + * { margin-top: .625rem; }
.up > .menu { padding: .25rem 1rem; }
.menu > details + details { border-top: 1px solid var(--line); margin-top: 0; }
.menu > details > summary { min-height: 3rem; }
.menu .in { padding-bottom: 1rem; }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; } #availability .two { grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); }
.panel .btn { width: 100%; }
.live:not(:empty) { padding: .75rem; border: 2px solid var(--warn); border-left-width: .5rem; border-radius: var(--r-s); background: var(--warn-tint); }
.lead > .live.noted { padding: 0; border: 0; background: none; } .live.noted > .note { margin-bottom: 0; }
.lead > .live:not(:empty) { margin-bottom: .75rem; }
.decide > .live:not(:empty) { margin-bottom: .5rem; }
.live a { display: inline-flex; align-items: center; min-height: var(--hit); font-weight: 600; }
@media (max-height: 22rem) { .decide { position: static; box-shadow: none; } .review { padding-bottom: 1rem; } }
`;

const wide = `
@media (min-width: 48rem) { .wrap { padding: 1.5rem; } .inbox, .together { max-width: 56rem; } .chips { margin: 0; padding: .25rem 0; flex-wrap: wrap; } .batch { margin-inline: 0; bottom: 1rem; border: 1px solid var(--line); border-radius: var(--r); } .batch .btn { flex: 0 0 auto; } .batch p { margin-right: auto; } .review { padding-bottom: calc(10rem + var(--safe)); } .wide { display: inline-flex !important; } }
@media (min-width: 62rem) {
  .review, .review.closed { display: grid; grid-template-columns: minmax(0, 45rem) 20rem; grid-template-rows: auto 1fr; justify-content: space-between; gap: 0 2.5rem; padding-bottom: 1rem; }
  html { scroll-padding-bottom: 1rem; }
  .lead, .content { grid-column: 1; }
  h1, h1 .name { font-size: 1.5rem; }
  .review:not(.closed) .strip { display: none; }
  .warnings .soft { flex: none; }
  .rail { grid-column: 2; grid-row: 1 / span 2; align-self: start; position: sticky; top: 1rem; margin-top: 0; display: flex; flex-direction: column; max-height: calc(100vh - 6rem); }
  .rail > .facts { min-height: 8rem; display: flex; flex-direction: column; overflow: hidden; }
  .rail > .decide { flex: none; }
  .decide { position: relative; inset: auto; padding: 1rem; border: 1px solid var(--line); border-radius: var(--r); box-shadow: none; }
  .clock { display: block; padding-bottom: .75rem; margin-bottom: .75rem; border-bottom: 1px solid var(--line); }
  .clock > span { display: block; }
  .clock > span > .num { font-size: 1.5rem; line-height: 1.2; }
  .decide .votes { display: block; margin: -.25rem 0 .5rem; }
  .row { flex-wrap: wrap; }
  .row > .more { flex: 1 0 100%; } .more .word { display: inline; }
  .more > summary { border-color: transparent; background: none; color: var(--link); min-height: var(--hit); margin-bottom: -.5rem; }
  .up > .panel { inset: calc(100% - .5rem) 0 auto; }
  @supports selector(::details-content) {
    .rail > .facts > summary { display: none; }
    .rail > .facts::details-content { content-visibility: visible; display: flex; block-size: auto; min-height: 0; }
    .facts > .scroll { overflow: auto; flex: 1; overscroll-behavior: contain; scrollbar-width: thin; }
    .rail > .facts dl { padding-top: .875rem; }
  }
}
@media (max-width: 61.99rem) { .warnings .soft { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; } }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media (forced-colors: active) { .unseen, .badge, .pin { border: 1px solid; } mark { outline: 1px solid; } .said { border-left: .625rem double; } }
@media print { .top .end, .decide, .live, .edit, .act { display: none; } .review { padding-bottom: 0; } }
`;

export const stylesheet = tokens + base + controls + chrome + review + outside + inbox + decision + wide;
