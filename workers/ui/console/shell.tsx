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
import { consoleWords } from "./console-words.ts";
import { menuScript } from "./find/menu-script.ts";
import { ConsoleKeys, FindLink, FindMenu } from "./find/menu.tsx";
import { type Visit, useTexts } from "./page.ts";
import { type Place, firstPlaces, otherPlaces } from "./places.ts";

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
      {firstPlaces.map((place) => (
        <Link place={place} visit={visit} />
      ))}
      <details>
        <summary>
          <Icon of="dots" />
          {nav.more}
        </summary>
        <div class="rest">
          {otherPlaces.map((place) => (
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
        <FindLink visit={visit} />
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
        <FindMenu visit={visit} />
        <ConsoleKeys />
        <script nonce={visit.cspNonce}>{raw(keepSessionScript + consoleScript + menuScript + script)}</script>
      </body>
    </html>
  );
};
