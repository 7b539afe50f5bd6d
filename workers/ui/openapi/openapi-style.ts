// What the description's page has beside the stylesheet of every page.

export const openapiStyle = `
html { scroll-padding-bottom: 1rem; }
.plain-page { max-width: 60rem; }
section > h2 { margin: 2rem 0 .5rem; font-size: 1.1875rem; }
h3 { margin: 1rem 0 .25rem; font-size: 1rem; line-height: 1.5; color: var(--soft); font-weight: 600; }
.in > h3:first-child { margin-top: 0; }
p { margin: 0; }
.parts-of { border: 1px solid var(--line); border-radius: var(--r); background: var(--card); }
.parts-of li + li { border-top: 1px solid var(--line); }
.parts-of a { display: block; padding: .625rem .875rem; text-decoration: none; }
.parts-of a:hover b { text-decoration: underline; }
.parts-of .soft { display: block; }
@media (min-width: 48rem) { .parts-of a { display: grid; grid-template-columns: 14rem 1fr; } }
.op { border: 1px solid var(--line); border-radius: var(--r-s); background: var(--card); }
.op + .op { margin-top: .375rem; }
.op > summary { padding: .625rem .75rem; align-items: flex-start; font-weight: 400; }
.op > summary::before { margin-top: .45rem; }
.op > summary > span { min-width: 0; }
.op > summary > span > .soft { display: block; }
.op[open] > summary { border-bottom: 1px solid var(--line); }
.method { display: inline-block; min-width: 4.25rem; font-family: var(--mono); }
.op .in { padding: .75rem; scroll-margin-top: 5rem; }
.fields > div { padding: .375rem 0; }
.fields > div + div { border-top: 1px solid var(--line); }
.fields dt { color: var(--ink); }
.fields dd > .fields, .variants { margin-top: .25rem; padding-left: .75rem; border-left: 2px solid var(--line); }
.variants > li { padding: .375rem 0; }
pre { margin: 0; padding: .75rem; border: 1px solid var(--line); border-radius: var(--r-s); background: var(--sunk); white-space: pre-wrap; font: 1rem/1.5 var(--mono); }
.fields + pre { margin-top: .375rem; }
`;
