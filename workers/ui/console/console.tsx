// The console's pages by their addresses: finds the page of a visit, lets it read the API, and
// renders what it shows.

import { wordsOf } from "../../../shared/channels/words/words.ts";
import { allows } from "../../../shared/credential/operator-roles.ts";
import { asHtml } from "../document.tsx";
import { inLanguage } from "../language.ts";
import { Api, ApiFailed } from "./api.ts";
import { consoleWords } from "./console-words.ts";
import { alertsPage } from "./alerts/alerts-page.tsx";
import { decisionsPage } from "./decisions/decisions-page.tsx";
import { documentsPage, documentPages } from "./documents/documents-page.tsx";
import { healthPage } from "./overview/health-page.tsx";
import { nowPage } from "./overview/now-page.tsx";
import { overviewPage } from "./overview/overview-page.tsx";
import type { ConsolePage, PageAnswer, Visit } from "./page.ts";
import { Refused, sayingPage } from "./pieces.tsx";
import { requestPage } from "./requests/request-page.tsx";
import { requestsPage } from "./requests/requests-page.tsx";
import { modelPage } from "./routing/model-page.tsx";
import { providerPage } from "./routing/provider-page.tsx";
import { routingPage } from "./routing/routing-page.tsx";
import { budgetsPage } from "./budgets/budgets-page.tsx";
import { findPage } from "./find/find-page.tsx";
import { grantsPage } from "./grants/grants-page.tsx";
import { keyPage } from "./keys/key-page.tsx";
import { keysPage } from "./keys/keys-page.tsx";
import { recordPage } from "./record/record-page.tsx";
import { reviewersPage } from "./reviewers/reviewers-page.tsx";
import { serversPage } from "./servers/servers-page.tsx";
import { toolsPage } from "./servers/tools-page.tsx";
import { Shell } from "./shell.tsx";
import { policyPage } from "./policy/policy-page.tsx";
import { stopsPage } from "./stops/stops-page.tsx";
import { usagePage } from "./usage/usage-page.tsx";
import type { ConsoleAnswer, ConsoleApi, ConsoleVisit } from "./visit.ts";

const pages: readonly ConsolePage[] = [
  overviewPage,
  nowPage,
  alertsPage,
  healthPage,
  usagePage,
  requestsPage,
  requestPage,
  decisionsPage,
  findPage,
  stopsPage,
  documentsPage,
  documentPages,
  routingPage,
  modelPage,
  providerPage,
  policyPage,
  keysPage,
  keyPage,
  budgetsPage,
  serversPage,
  toolsPage,
  grantsPage,
  reviewersPage,
  recordPage,
];

const isAt = (path: string, page: string): boolean => (path.endsWith("*") ? page.startsWith(path.slice(0, -1)) : path === page);

/**
 * Answers a visit. The gateway has authenticated the operator, and checked a form's session and
 * origin.
 */
export async function answerConsole(asked: ConsoleVisit, call: ConsoleApi): Promise<ConsoleAnswer> {
  const visit = visitOf(asked, new Api(call, asked.language));
  const shown = await shownOn(visit, asked.form !== null).catch((error: unknown): PageAnswer => {
    if (error instanceof ApiFailed) return failedPage(visit, error);
    throw error;
  });
  return answerOf(visit, shown);
}

function visitOf(asked: ConsoleVisit, api: Api): Visit {
  return {
    ...asked,
    query: new URLSearchParams(asked.query.map(([name, value]) => [name, value])),
    form: new URLSearchParams((asked.form ?? []).map(([name, value]) => [name, value])),
    api,
    may: (needed) => allows(asked.role, needed),
    at: (page, query = {}) => {
      const given = Object.entries(query).flatMap(([name, value]) => (value === null || value === "" ? [] : [[name, String(value)]]));
      const path = page === "" ? asked.base : `${asked.base}/${page}`;
      return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
    },
  };
}

async function shownOn(visit: Visit, isForm: boolean): Promise<PageAnswer> {
  const page = pages.find(({ path }) => isAt(path, visit.page));
  const answer = isForm ? page?.post : page?.get;
  return answer === undefined ? { kind: "notFound" } : answer(visit);
}

function answerOf(visit: Visit, shown: PageAnswer): ConsoleAnswer {
  const words = wordsOf(visit.language);
  if (shown.kind === "redirect") return { kind: "redirect", to: shown.to };
  if (shown.kind === "part") return { kind: "html", status: 200, html: String(inLanguage(words, () => String(shown.body()))) };
  const { title, body, status = 200, script = "" } = shown.kind === "notFound" ? notFoundPage(visit) : shown;
  const html = asHtml(words, () => (
    <Shell visit={visit} title={title} script={script}>
      {body()}
    </Shell>
  ));
  return { kind: "html", status, html };
}

type PageShown = Extract<PageAnswer, { kind: "page" }>;

function notFoundPage({ language }: Visit): PageShown {
  const { title, lead } = consoleWords[language].notFound;
  return sayingPage({ status: 404, title, says: () => <p>{lead}</p> });
}

/** The API did not answer what the page is made of. */
function failedPage(visit: Visit, { failure }: ApiFailed): PageShown {
  const { title, back } = consoleWords[visit.language].failed;
  const status = failure.status >= 500 ? 503 : failure.status;
  return sayingPage({ status, title, says: () => <Refused failure={failure} />, back: [visit.at(""), back] });
}
