// The console's part of the stylesheet: its frame, tables, forms and charts. The rest is shared
// with the review page.

const tokens = `
:root { --bar-1: #0d6a3f; --bar-2: #7388a6; --bar-3: #a51d18; --bar-4: #b98424; }
@media (prefers-color-scheme: dark) { :root { --bar-1: #57cf90; --bar-2: #64788f; --bar-3: #ff9d95; --bar-4: #ffc96b; } }
`;

const frame = `
h3, figure { margin: 0; } h3 { font-size: 1rem; font-weight: 600; }
.shell { padding-bottom: calc(4.5rem + var(--safe)); }
.shell .top a.brand { color: inherit; text-decoration: none; }
.nav { position: fixed; z-index: 3; inset: auto 0 0; display: flex; padding-bottom: var(--safe); border-top: 1px solid var(--line); background: var(--card); }
.nav > a, .nav > details > summary { flex: 1; display: flex; flex-direction: column; align-items: center; justify-content: center; min-height: 3.75rem; color: var(--soft); font-size: .8125rem; font-weight: 400; text-decoration: none; }
.nav > details { flex: 1; }
.nav a[aria-current] { color: var(--ink); font-weight: 600; box-shadow: inset 0 3px 0 var(--yes); }
.nav .rest { position: absolute; inset: auto .5rem calc(100% + .5rem) auto; min-width: 12rem; max-height: 70dvh; overflow: auto; padding: .5rem; border: 1px solid var(--control); border-radius: var(--r); background: var(--card); box-shadow: var(--raised); }
.nav .rest a { display: flex; align-items: center; gap: .625rem; min-height: var(--hit); padding: 0 .75rem; border-radius: var(--r-s); color: var(--ink); text-decoration: none; }
.nav .rest a[aria-current] { box-shadow: inset 3px 0 0 var(--yes); }
.nav .rest a:hover { background: var(--sunk); }
.nav .leave { gap: 0; flex-direction: column; align-items: stretch; margin-top: .5rem; border-top: 1px solid var(--line); }
.nav .leave .act { padding: 0 .75rem; text-align: left; font-weight: 400; }
.shell .top .act { white-space: nowrap; }
.main .btn, .main .tag { overflow-wrap: normal; }
.rank .line > :not(:first-child) { flex: none; }
.main { padding: 1rem; max-width: 76rem; }
.main > * + * { margin-top: 1.25rem; }
.main h1 { font-weight: 650; color: var(--ink); }
.head { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; }
.stack > * + * { margin-top: .75rem; }
.grid { display: grid; gap: 1.25rem; }
.grid > * { min-width: 0; }
.digest { font-family: var(--mono); font-size: .95em; unicode-bidi: isolate; overflow-wrap: anywhere; }
.shell .tag.ok { border-color: var(--yes); background: var(--yes-tint); color: var(--yes); }
.shell .tag.live { border-color: var(--link); background: var(--link-tint); color: var(--link); }
`;

const content = `
.tiles { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; }
.tiles > :last-child:nth-child(odd) { grid-column: 1 / -1; }
.tile { display: block; padding: .75rem .875rem; border: 1px solid var(--line); border-radius: var(--r); background: var(--card); color: inherit; text-decoration: none; }
.tile b { display: block; font-size: 1.625rem; line-height: 1.25; font-weight: 600; font-variant-numeric: tabular-nums; letter-spacing: -.01em; }
.tile.hot { border-color: var(--link); box-shadow: inset 0 0 0 1px var(--link); }
.findings li { display: flex; gap: .625rem; padding: .625rem 0; }
.findings li > span { min-width: 0; }
.findings li + li { border-top: 1px solid var(--line); }
.findings .i { margin-top: .125rem; }
.findings .ok .i { color: var(--yes); } .findings .bad .i { color: var(--no); } .findings .mind .i { color: var(--warn); }
table { width: 100%; border-collapse: collapse; }
caption { text-align: left; font-weight: 600; padding-bottom: .5rem; }
th { text-align: left; color: var(--soft); font-weight: 600; }
th, td { padding: .5rem .75rem .5rem 0; vertical-align: top; border-bottom: 1px solid var(--line); }
td.num, th.num { text-align: right; } td:last-child, th:last-child { padding-right: 0; }
tr:last-child > td, tbody > tr:last-child > th { border-bottom: 0; }
.scrolls { overflow-x: auto; }
@media (max-width: 61.99rem) {
  .cards, .cards tbody, .cards tr, .cards td, .cards caption { display: block; }
  .cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .cards tr { display: flex; flex-wrap: wrap; align-items: center; gap: .125rem .75rem; padding: .75rem 0; border-bottom: 1px solid var(--line); }
  .cards tr:last-child { border-bottom: 0; }
  .cards td { padding: 0; border: 0; text-align: left; color: var(--soft); }
  .cards td[data-k]::before { content: attr(data-k) " "; }
  .cards td.main-cell { order: -2; flex: 1 1 calc(100% - 9rem); color: var(--ink); }
  .cards td.end { order: -1; margin-left: auto; } .cards td.full { flex: 1 0 100%; }
  .cards td.end:has(.row-acts) { order: 1; flex: 1 0 100%; margin: .5rem 0 0; }
}
.search { display: grid; gap: .625rem; }
.rank > li { padding: .75rem 0; } .rank > li + li { border-top: 1px solid var(--line); }
.done-list > li { padding: .375rem 0; overflow-wrap: anywhere; } .done-list .soft:first-child { margin-right: .5rem; white-space: nowrap; }
.rank .line { display: flex; gap: .75rem; align-items: baseline; justify-content: space-between; }
.rules > li { display: grid; grid-template-columns: 2.5rem minmax(0, 1fr) auto; gap: 0 .5rem; align-items: start; padding: .75rem 0; }
.rules > li + li { border-top: 1px solid var(--line); }
.rules .at { white-space: nowrap; font-variant-numeric: tabular-nums; color: var(--soft); }
.rules .now { box-shadow: inset .25rem 0 0 var(--link); padding-left: .75rem; margin-left: -.75rem; }
.rules .handle { cursor: grab; } .rules .handle::before { content: "⠿ "; color: var(--control); }
.rules .drop { box-shadow: inset 0 -.1875rem 0 var(--link); }
.rules > li > div:not(.movers) { grid-column: 2 / -1; } .rules .its { grid-column: 2; align-self: center; } .movers { grid-column: 3; display: flex; align-items: center; } .rules > li > .movers > .act { min-height: var(--hit); }
.two:has(> div) { align-items: end; } .mover { min-width: var(--hit); justify-content: center; } .mover:disabled { visibility: hidden; }
.main-form > * + * { margin-top: 1.25rem; }
.people > div { max-height: 16rem; overflow: auto; } .people > legend, .plain-set > legend { font-weight: 600; margin-bottom: .25rem; }
.plain-set > * + * { margin-top: .875rem; }
.replay-ask { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; }
.progress progress { width: 100%; height: .5rem; accent-color: var(--link); }
.groups, .groups > li { list-style: none; padding: 0; }
.short-json.field { min-height: 8rem; font: .9375rem/1.5 var(--mono); }
.form > * + * { margin-top: .875rem; }
.form input[type=checkbox], .form input[type=radio] { display: inline-block; width: 1.5rem; height: 1.5rem; min-height: 0; margin: 0 .5rem 0 0; vertical-align: -.375rem; accent-color: var(--link); }
.row-acts { display: flex; flex-wrap: wrap; gap: .5rem; } ul + .row-acts { margin-top: .75rem; } .main-cell .tag, .row-acts > .btn, .cards .end summary { white-space: nowrap; }
.pairs-of-fields { display: grid; gap: .875rem 1.25rem; } .form details > .pairs-of-fields { margin-top: .875rem; }
.check { display: flex; align-items: center; min-height: var(--hit); font-weight: 400; }
.json.field { min-height: 20rem; max-height: 70dvh; overflow: auto; font: .9375rem/1.5 var(--mono); tab-size: 2; resize: vertical; field-sizing: fixed; }
.sub-line { display: block; } .plain-set { min-width: 0; } .plain-set > .grid { align-items: start; } fieldset { min-width: 0; }
.form .two { align-items: end; } .form .two > div:has(> textarea) { grid-column: 1 / -1; } .form textarea.field { max-height: 16rem; overflow: auto; }
@media (max-width: 61.99rem) { .cards td.state { order: -1; } .state .tag { margin-right: .375rem; } .state .sub-line { display: inline; } .cards td:empty { display: none; } }
.scrolls .cards :is(td, th, .name) { overflow-wrap: break-word; } .scrolls .cards th { white-space: normal; } .scrolls .tag { white-space: nowrap; } .scrolls .cards .long { overflow-wrap: anywhere; }
fieldset.card > legend.label { float: left; width: 100%; margin-bottom: .5rem; } fieldset.card > legend.label + * { clear: both; } .label { font-weight: 600; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; }
.doc-diff { max-height: 32rem; overflow: auto; padding: .5rem 0; border: 1px solid var(--line); border-radius: var(--r-s); background: var(--card); font: .9375rem/1.5 var(--mono); tab-size: 2; }
.doc-diff > span { display: block; position: relative; padding: 0 .75rem 0 2rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.doc-diff .sign { position: absolute; left: .75rem; }
.doc-diff .added { background: var(--add); } .doc-diff .removed { background: var(--cut); } .doc-diff .changed { background: var(--link-tint); }
.doc-diff > .gap { padding-block: .125rem; background: var(--sunk); color: var(--soft); font-family: var(--sans); }
.faults > li + li { margin-top: .625rem; } .faults code { overflow-wrap: anywhere; }
.confirm > summary { display: inline-flex; } .confirm > form { margin-top: .625rem; padding: .75rem; border: 1px solid var(--no); border-radius: var(--r-s); background: var(--no-tint); text-align: left; color: var(--ink); } .confirm > form > * + * { margin-top: .625rem; }
.slide { display: grid; grid-template-columns: 1fr auto; } .slide input { grid-column: 1 / -1; accent-color: var(--link); }
.pairs { display: grid; grid-template-columns: minmax(6.5rem, max-content) minmax(0, 1fr); gap: .375rem 1rem; }
.path .bad > .dot { border-color: var(--no); background: var(--no); color: var(--no-ink); }
.tried, .fixes { padding-left: 1.25rem; } .tried { margin: .375rem 0 .75rem; list-style: decimal; } .fixes { list-style: disc; } .tried > li + li, .fixes > li + li { margin-top: .25rem; } .fixes > li::first-letter { text-transform: uppercase; }
.chart svg { display: block; width: 100%; height: 9rem; margin-top: .5rem; overflow: visible; }
.chart svg.meter { height: .5rem; margin-top: .25rem; } .chart svg.flat { height: .75rem; border-radius: .375rem; }
.meter { display: block; width: 100%; height: .5rem; border-radius: .25rem; background: var(--sunk); overflow: hidden; margin-top: .25rem; }
.b1 { fill: var(--bar-1); } .b2 { fill: var(--bar-2); } .b3 { fill: var(--bar-3); } .b4 { fill: var(--bar-4); } .b5 { fill: var(--link); } .b0 { fill: var(--sunk); }
.ln { fill: none; stroke: var(--link); stroke-width: 2.5; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
.ln.dash { stroke: var(--no); stroke-dasharray: 6 5; stroke-width: 2; }
.gr { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
.axis { display: flex; justify-content: space-between; margin-top: .25rem; color: var(--soft); font-size: .875rem; font-variant-numeric: tabular-nums; }
.keyline { display: flex; flex-wrap: wrap; gap: .25rem 1rem; color: var(--soft); }
.keyline svg { display: inline-block; width: .875rem; height: .875rem; margin: 0 .375rem 0 0; vertical-align: -.0625rem; }
.data > .scrolls { margin-top: .5rem; } .scrolls.times td, .scrolls.times th { white-space: nowrap; }
.chart .rank { margin-top: 1rem; } .rank .line.wraps { flex-wrap: wrap; gap: 0 .75rem; } .chart .rank + a { display: inline-block; margin-top: .5rem; }
.steps-list > li { padding: 1rem 0; } .steps-list > li + li { border-top: 1px solid var(--line); } .steps-list > li > * + * { margin-top: .5rem; }
.command { max-width: 100%; margin: 0; padding: .75rem; overflow-x: auto; border-radius: var(--r-s); background: var(--sunk); font: .9375rem/1.5 var(--mono); }
.total > td { font-weight: 600; } .total > td.main-cell { flex-basis: 100% !important; } .total > td.end { margin-left: 0 !important; }
.acts { display: inline-flex; flex-wrap: wrap; gap: .5rem; }
.filters .fields { display: grid; gap: .625rem; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); margin-top: .625rem; }
.told { color: var(--soft); padding-top: .25rem; }
.find { display: grid; gap: .625rem; grid-template-columns: minmax(0, 1fr) auto; align-items: end; }
.find .btn { min-height: var(--hit); }
.lines th { white-space: nowrap; } .lines td { overflow-wrap: break-word; } .lines td.main-cell { overflow-wrap: anywhere; } .lines .whole { white-space: nowrap; } .lines .why { overflow-wrap: anywhere; }
.copy { display: block; } .copy[hidden] { display: none; }
@media (max-width: 61.99rem) {
  .lines td:has(.absent) { display: none; }
  .lines tr { gap: 0 .5rem; padding: .1875rem 0; flex-wrap: wrap; line-height: 1.375rem; }
  .lines td, .lines td.main-cell { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; } .lines td * { white-space: nowrap; overflow-wrap: normal; }
  .lines td.main-cell { flex: 1 1 0; min-width: 0; } .lines td.end { flex: none; } .lines td[data-k], .lines td.num { display: none; }
  .lines tr::after { content: ""; order: -1; flex-basis: 100%; }
  .lines td.full { flex: 1 1 0; min-width: 0; } .lines .tag { line-height: 1.25rem; }
}
@media (min-width: 62rem) {
  .lines { table-layout: fixed; } .lines :is(td, th) { padding-block: .0625rem; line-height: 1.375rem; vertical-align: middle; }
  .lines td, .lines td.main-cell { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; } .lines td * { white-space: nowrap; overflow-wrap: normal; }
  .lines { font-size: .9375rem; } .lines .tag { padding: 0 .375rem; line-height: 1.25rem; font-size: .875rem; vertical-align: top; }
  .lines .name { font-size: .875rem; } .lines .col-time { width: 6.5rem; } .lines .col-by { width: 19.5%; } .lines .col-key { width: 9.5%; } .lines .col-model { width: 12.5%; } .lines .col-outcome { width: 8.75rem; } .lines .col-cost { width: 5rem; } .lines .col-wait { width: 5.75rem; }
}
@media (min-width: 62rem) and (max-width: 75rem) { .lines .col-key, .lines .col-key-of { display: none; } }
.main > .chips + .chips { margin-top: .25rem; } @media (min-width: 62rem) { .decided th { font-size: .875rem; } .decided th:nth-child(1) { width: 6.5rem; } .decided th:nth-child(3) { width: 8rem; } .decided th:nth-child(4) { width: 24%; } .decided th:nth-child(n + 6) { width: 5.25rem; } .decided th:nth-child(8) { width: 6rem; } }
.menu { width: min(36rem, calc(100vw - 2rem)); max-width: none; margin-top: 10vh; } .menu::backdrop { background: rgb(0 0 0 / .4); }
.menu ul { max-height: 50vh; margin-top: .75rem; overflow: auto; } .menu li { padding: .5rem .625rem; border-radius: var(--r-s); cursor: pointer; overflow-wrap: anywhere; } .menu li[aria-selected=true] { background: var(--link-tint); box-shadow: inset 3px 0 0 var(--link); }
.empty { padding: 2rem 1rem; text-align: center; color: var(--soft); }
`;

const wide = `
@media (min-width: 48rem) {
  .rules > li > div:not(.movers) { grid-column: 2; } .movers { grid-area: 1 / 3 / span 2; } .rules .its { grid-row: 2; }
  .pairs-of-fields { grid-template-columns: 1fr 1fr; }
  .tiles { grid-template-columns: repeat(5, 1fr); } .tiles > :last-child:nth-child(odd) { grid-column: auto; }
  .search { grid-template-columns: minmax(14rem, 1fr) auto auto auto; align-items: end; }
}
@media (min-width: 62rem) {
  .cards th, .cards td { overflow-wrap: break-word; } .cards .name, .cards .digest { overflow-wrap: anywhere; } .cards .digest { font-size: .8125rem; }
  .cards td { min-width: 5.5rem; } .cards .row-acts { justify-content: flex-end; } .cards .row-acts:not(:has(> :nth-child(3))) { flex-wrap: nowrap; }
  .done-list > li { display: grid; grid-template-columns: 10.5rem minmax(0, 1fr); }
  .shell { display: grid; grid-template-columns: 13rem minmax(0, 1fr); grid-template-rows: auto 1fr; padding-bottom: 0; min-height: 100vh; }
  .shell > .top { grid-column: 1 / -1; }
  .nav { position: sticky; top: 0; align-self: start; inset: 0 auto auto; flex-direction: column; gap: .125rem; padding: 1rem .75rem; border: 0; background: none; }
  .nav > a, .nav > details > summary, .nav .rest a { flex: none; flex-direction: row; justify-content: flex-start; gap: .625rem; min-height: var(--hit); padding: 0 .75rem; border-radius: var(--r-s); font-size: 1rem; color: var(--soft); }
  .nav > details { flex: none; }
  .nav a:hover { background: var(--sunk); }
  .nav a[aria-current] { color: var(--ink); background: var(--sunk); box-shadow: inset 3px 0 0 var(--yes); }
  .nav .rest { position: static; padding: 0; border: 0; box-shadow: none; background: none; max-height: none; }
  @supports selector(::details-content) {
    .nav > details > summary { display: none; }
    .nav > details::details-content { content-visibility: visible; display: block; block-size: auto; }
  }
  .main { padding: 1.5rem 2rem 3rem 1.25rem; }
  .grid.half { grid-template-columns: 1fr 1fr; } .grid.third { grid-template-columns: repeat(3, minmax(0, 1fr)); } .grid.side { grid-template-columns: minmax(0, 1fr) 22rem; align-items: start; }
  .grid.play { grid-template-columns: 20rem minmax(0, 1fr); align-items: start; }
}
`;

export const consoleStylesheet = tokens + frame + content + wide;
