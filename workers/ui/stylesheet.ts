// The one stylesheet: phone first, light and dark, text of 16 px and more, targets of 44 px. A constant.

/** A rule for each model: the approve button names the model whose radio button is checked, without a script. */
const modelRules = Array.from({ length: 12 }, (_, i) => `form:has(#model-${i}:checked) .to-${i}`).join(",");

export const stylesheet = `
:root {
  color-scheme: light dark;
  --page: #f4f3ef; --card: #ffffff; --ink: #1a1e23; --soft: #4d565f; --line: #c9c6bd; --control: #6b7178;
  --link: #0b4f9c; --focus: #0b4f9c;
  --outside: #fbf5e6; --rule: #b07d1c; --edge: #6a4a08;
  --chip: #5b2a86; --chip-ink: #ffffff;
  --yes: #14603a; --yes-ink: #ffffff; --no: #9c1f1f; --no-ink: #9c1f1f;
  --added: #d5efdb; --removed: #f9d9d6;
  --high: #9c1f1f; --medium: #8a4b00; --low: #3c5266; --level-ink: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121518; --card: #1b1f24; --ink: #e9ebee; --soft: #b3bac2; --line: #3a4149; --control: #8b939c;
    --link: #8cc4ff; --focus: #8cc4ff;
    --outside: #231e12; --rule: #d9a441; --edge: #f0cf8c;
    --chip: #dcc0ff; --chip-ink: #24113a;
    --yes: #5fd394; --yes-ink: #06210f; --no: #ff9d96; --no-ink: #ffb3ad;
    --added: #16402a; --removed: #572320;
    --high: #ffb3ad; --medium: #ffcc80; --low: #b9d2ea; --level-ink: #1b1205;
  }
}
* { box-sizing: border-box; }
html { font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 4.5rem; }
body { margin: 0 auto; padding: 0 1rem 3rem; max-width: 46rem; background: var(--page); color: var(--ink); overflow-wrap: anywhere; }
header { position: sticky; top: 0; z-index: 1; background: var(--page); display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: center; justify-content: space-between; min-height: 3.25rem; border-bottom: 1px solid var(--line); }
.product { font-weight: 700; letter-spacing: .01em; }
.product::before { content: ""; display: inline-block; width: .65em; height: .65em; margin-right: .5em; border: .16em solid var(--yes); border-radius: 50%; }
header a { display: inline-flex; align-items: center; min-height: 2.75rem; }
a { color: var(--link); text-underline-offset: .2em; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
section:focus { outline-offset: 4px; }
h1 { margin: 1.5rem 0 .5rem; font-size: 1.6rem; line-height: 1.25; text-wrap: balance; }
h2 { margin: 0 0 .5rem; font-size: 1.25rem; line-height: 1.3; }
h3 { margin: 0 0 .5rem; font-size: 1.0625rem; }
h4, h5 { margin: 1rem 0 .5rem; font-size: 1rem; }
p { margin: 0 0 .75rem; }
ul, ol { margin: 0 0 .75rem; padding-left: 1.25rem; }
li { margin-bottom: .5rem; }
main > section, form > section { margin-top: 1.75rem; }
h1 + .card, .lead + .card { margin-top: 1rem; }
.after { margin-top: 1.75rem; }
.card, .decision, .outcome, .problem { padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
.outcome + .lead, .problem + .lead { margin-top: 1.25rem; }
.lead { font-size: 1.0625rem; }
.meta { color: var(--soft); }
.hidden { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
dl { margin: 0; }
.facts { display: grid; grid-template-columns: fit-content(7.5rem) minmax(0, 1fr); gap: .5rem .75rem; }
.facts > dd { margin: 0; }
dt { color: var(--soft); }
dd { margin: 0 0 .75rem; }
dd:last-child { margin-bottom: 0; }
.card > :last-child, .decision > :last-child, .problem > :last-child, .risks li:last-child, .models li:last-child, .card > ul > li:last-child, dd > p:last-child { margin-bottom: 0; }
.card.folded { padding-block: .25rem; }
.folded > details[open] { padding-bottom: .75rem; }
.name { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-weight: 600; white-space: pre-wrap; unicode-bidi: isolate; }
.plain { white-space: pre-line; unicode-bidi: isolate; }

.piece { margin: 1rem 0 1.5rem; }
.role { display: inline-block; padding: 0 .5rem; border: 1px solid var(--control); border-radius: 1rem; font-weight: 600; }
.role.assistant { border-style: dashed; }
.outside { margin: .25rem 0 0; border: 1px solid var(--rule); border-left-width: .4rem; border-radius: .25rem; background: var(--outside); contain: paint; }
.edge { margin: 0; padding: .15rem .75rem; color: var(--edge); font-weight: 600; }
.edge:first-child { border-bottom: 1px dashed var(--rule); }
.edge:last-child { border-top: 1px dashed var(--rule); font-weight: 400; }
.said { padding: .75rem; font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: 1rem; line-height: 1.5; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; tab-size: 4; }
.unseen { padding: 0 .35em; border-radius: .25em; background: var(--chip); color: var(--chip-ink); font: 600 1rem/1.4 system-ui, sans-serif; white-space: normal; -webkit-box-decoration-break: clone; box-decoration-break: clone; unicode-bidi: isolate; }
.unseen.gap { display: block; margin: .5rem 0; padding: .35rem .75rem; text-align: center; }
.stretch { content-visibility: auto; contain-intrinsic-size: auto 40rem; unicode-bidi: plaintext; }
.media { display: block; max-width: 100%; height: auto; margin: .75rem; max-width: calc(100% - 1.5rem); }
audio.media { width: calc(100% - 1.5rem); height: 3.375rem; }
img.media { background: repeating-conic-gradient(#8883 0 25%, #fff3 0 50%) 0 0 / 1rem 1rem; min-width: 2rem; min-height: 2rem; }
ins, del { text-decoration-thickness: .1em; padding: 0 .1em; border-radius: .15em; color: inherit; }
ins { background: var(--added); text-decoration: underline; }
del { background: var(--removed); text-decoration: line-through; }

.edit { margin-bottom: .75rem; }
.edit[open] { padding-bottom: .5rem; }
summary { display: flex; align-items: center; min-height: 2.75rem; padding: .25rem 0; color: var(--link); font-weight: 600; cursor: pointer; }
summary::-webkit-details-marker { display: none; }
summary::before { content: "▸"; flex: none; width: 1.25em; }
details[open] > summary::before { content: "▾"; }
label { display: block; font-weight: 600; margin-bottom: .25rem; }
textarea, input:not([type]), select { display: block; width: 100%; padding: .6rem .75rem; border: 1px solid var(--control); border-radius: .4rem; background: var(--card); color: var(--ink); font: 1rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
textarea { resize: vertical; min-height: 4.5rem; max-height: 70vh; field-sizing: content; }
.edit textarea, .edit input:not([type]) { scroll-margin-top: 6rem; }
#reason, select { font-family: inherit; }
select { min-height: 3rem; margin-bottom: .5rem; text-overflow: ellipsis; }
input:not([type]) { min-height: 2.75rem; max-width: 12rem; }
textarea[aria-invalid="true"], input[aria-invalid="true"]:not([type]) { border: 2px solid var(--no); }
.fault { color: var(--no-ink); font-weight: 600; }
.kept { color: var(--soft); }
fieldset { margin: 0; padding: 0; border: 0; }
legend { padding: 0; font-weight: 600; }
.model { display: flex; gap: .75rem; align-items: flex-start; min-height: 2.75rem; padding: .75rem 0; border-top: 1px solid var(--line); font-weight: 400; cursor: pointer; }
.model input { flex: none; font-size: 1rem; width: 1.5rem; height: 1.5rem; margin: 0; accent-color: var(--link); }
.model:last-child { padding-bottom: 0; }
.model > span, .models li { display: block; }
.model strong, .model .meta, .models strong, .models .meta { display: block; }
.models { padding: 0; list-style: none; }
.models li { margin-bottom: 1rem; }

.level { display: inline-block; padding: 0 .5rem; border-radius: .25rem; background: var(--low); color: var(--level-ink); font-weight: 600; }
.level.high { background: var(--high); }
.level.medium { background: var(--medium); }
.risks { list-style: none; padding: 0; }
.notice { padding: .5rem .75rem; border-left: .4rem solid var(--medium); }
.preview { border: 2px solid var(--link); }
.problem { border: 2px solid var(--no); }
.problem h2 { color: var(--no-ink); }
.outcome { border-left: .6rem solid var(--low); }
.outcome.approved { border-left-color: var(--yes); }
.outcome.denied, .outcome.failed { border-left-color: var(--no); }
.outcome p:last-child { margin-bottom: 0; }

.live:not(:empty) { margin: 1.25rem 0; padding: 1rem; background: var(--card); border: 2px solid var(--medium); border-left-width: .6rem; border-radius: .75rem; }
.live > :last-child { margin-bottom: 0; }
.live a { display: inline-flex; align-items: center; min-height: 2.75rem; font-weight: 600; }
.decision { border: 2px solid var(--ink); }
.choice { margin-top: 1.25rem; }
.choice p { margin-bottom: .5rem; }
.grant { margin-top: 1.25rem; }
.grant[open] { padding: 0 0 .75rem 1rem; border-left: .25rem solid var(--line); }
.granting { display: none; font-weight: 600; }
form:has(#grant option:checked:not([value=""])) .granting { display: block; }
.deny-choice { margin-top: 1.75rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
button { text-wrap: balance; display: block; width: 100%; min-height: 3rem; padding: .6rem 1rem; border: 2px solid var(--control); border-radius: .5rem; background: transparent; color: var(--ink); font: inherit; font-size: 1.0625rem; font-weight: 600; line-height: 1.3; cursor: pointer; }
button.approve { min-height: 3.5rem; border-color: var(--yes); background: var(--yes); color: var(--yes-ink); }
button:disabled { opacity: .55; cursor: not-allowed; }
button.deny { margin-top: .75rem; border-color: var(--no); color: var(--no-ink); }
.to { display: none; }
@supports selector(:has(a)) { form:has([name="model"]) .to-any { display: none; } ${modelRules} { display: inline; } }
@media (min-width: 40rem) {
  .card, .decision, .outcome, .problem { padding: 1.25rem 1.5rem; }
  button { width: auto; min-width: 14rem; }
}
@media (forced-colors: active) { .unseen, .level { border: 1px solid; } }
@media print { header a, .edit, .decision, .live, form > .folded:last-child { display: none; } }
`;
