// The frame of every page of the console: who is signed in, and where one can go.

import { Head } from "../document.tsx";
import { formTokenName } from "../../../shared/credential/console-session.ts";
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { Icon } from "../icons.tsx";
import { useWords } from "../language.ts";
import { Name } from "../outside-text.tsx";
import { keepSessionScript } from "../session-script.ts";
import { stylesheet } from "../stylesheet.ts";
import { consoleScript } from "./console-script.ts";
import { consoleStylesheet } from "./console-stylesheet.ts";
import { type ConsoleWords, consoleWords } from "./console-words.ts";
import { type Visit, useTexts } from "./page.ts";

type Place = {
  readonly page: string;
  readonly name: Exclude<keyof ConsoleWords["nav"], "label" | "more">;
  readonly icon: Parameters<typeof Icon>[0]["of"];
};

/** On a phone these stand at the bottom, and the rest behind "More". */
const first: readonly Place[] = [
  { page: "", name: "overview", icon: "home" },
  { page: "requests", name: "requests", icon: "list" },
  { page: "routing", name: "routing", icon: "route" },
  { page: "policy", name: "policy", icon: "shield" },
];
const rest: readonly Place[] = [
  { page: "keys", name: "keys", icon: "key" },
  { page: "servers", name: "servers", icon: "server" },
  { page: "reviewers", name: "reviewers", icon: "people" },
  { page: "grants", name: "grants", icon: "check" },
  { page: "budgets", name: "budgets", icon: "coin" },
  { page: "usage", name: "usage", icon: "bars" },
  { page: "record", name: "record", icon: "book" },
  { page: "stops", name: "stops", icon: "stop" },
];

const Link = ({ place: { page, name, icon }, visit }: { place: Place; visit: Visit }) => {
  const { nav } = useTexts(consoleWords);
  // A document's own pages belong to the page that shows it.
  const [at = ""] = visit.page.replace(/^documents\//, "").split("/");
  return (
    <a href={visit.at(page)} {...(at === page ? { "aria-current": "page" as const } : {})}>
      <Icon of={icon} />
      {nav[name]}
    </a>
  );
};

/** The hidden field of every form. */
export const FormToken = ({ visit }: { visit: Visit }) => <input type="hidden" name={formTokenName} value={visit.formToken} />;

const SignOut = ({ visit }: { visit: Visit }) => {
  const texts = useTexts(consoleWords);
  return (
    <form class="leave" method="post" action={visit.at("sign-out")}>
      <FormToken visit={visit} />
      <button class="act" type="submit">
        {texts.signOut}
      </button>
      <button class="act" type="submit" name="everywhere" value="yes">
        {texts.signOutEverywhere}
      </button>
    </form>
  );
};

const Nav = ({ visit }: { visit: Visit }) => {
  const { nav } = useTexts(consoleWords);
  return (
    <nav class="nav" aria-label={nav.label}>
      {first.map((place) => (
        <Link place={place} visit={visit} />
      ))}
      <details>
        <summary>
          <Icon of="dots" />
          {nav.more}
        </summary>
        <div class="rest">
          {rest.map((place) => (
            <Link place={place} visit={visit} />
          ))}
          {visit.canSignOut ? <SignOut visit={visit} /> : null}
        </div>
      </details>
    </nav>
  );
};

const Top = ({ visit }: { visit: Visit }) => {
  const texts = useTexts(consoleWords);
  const { page } = useWords();
  const { operator } = visit;
  return (
    <header class="top">
      <a class="btn skip" href="#main">
        {texts.skip}
      </a>
      <a class="brand" href={visit.at("")}>
        <Icon of="brand" />
        {page.product}
      </a>
      <div class="end">
        <a class="act" href={visit.inbox}>
          {texts.inbox}
        </a>
        <span class="soft reader">{operator.kind !== "adminToken" ? <Name value={operator.email} /> : texts.admin}</span>
      </div>
    </header>
  );
};

type ShellProps = { readonly visit: Visit; readonly title: string; readonly script: string; readonly children: Child };

export const Shell = ({ visit, title, script, children }: ShellProps) => {
  const { page } = useWords();
  return (
    <html lang={page.lang}>
      <Head title={`${title} · ${page.product}`} cspNonce={visit.cspNonce} style={stylesheet + consoleStylesheet} />
      <body>
        <div class="shell">
          <Top visit={visit} />
          <Nav visit={visit} />
          <main class="main" id="main">
            {children}
          </main>
        </div>
        <script nonce={visit.cspNonce}>{raw(keepSessionScript + consoleScript + script)}</script>
      </body>
    </html>
  );
};
