// GET /openapi: the HTTP contract for people. Each operation is a fold with its parameters, answers
// and a command; no script. In English.

import { PlainDocument } from "../document.tsx";
import { curlOf } from "./curl.ts";
import { type Answer, type Content, type Description, type Operation, type Parameter, readDescription } from "./description.ts";
import { openapiStyle } from "./openapi-style.ts";
import { SchemaView, Type } from "./schema-view.tsx";

/**
 * `description` is the JSON of `GET /openapi.json`; `base` the address that the commands are sent
 * to.
 */
export type OpenapiPageInput = { readonly description: string; readonly base: string };

export const OpenapiPage = ({ description: json, base, cspNonce }: OpenapiPageInput & { cspNonce: string }) => {
  const description = readDescription(json);
  const { info, tags, operations, schemas } = description;
  return (
    <PlainDocument title="HTTP API" cspNonce={cspNonce} style={openapiStyle}>
      <p>
        Every path of this gateway, version {info.version}. Programs read the same as OpenAPI 3.1: <a href="openapi.json">openapi.json</a>.
      </p>
      <p>
        The commands work in bash and zsh. <code>$API_KEY</code> is an API key, <code>$ADMIN_TOKEN</code> the operator's token; other
        variables stand for the parameters of the path.
      </p>
      <nav aria-label="Parts">
        <ul class="parts-of">
          {tags.map(({ name, description: whom }, i) => (
            <li>
              <a href={`#part-${i}`}>
                <b>{name}</b> <span class="soft">{whom}</span>
              </a>
            </li>
          ))}
          <li>
            <a href="#schemas">
              <b>Schemas</b> <span class="soft">The JSON bodies by name</span>
            </a>
          </li>
        </ul>
      </nav>
      {tags.map(({ name }, i) => (
        <section aria-labelledby={`part-${i}`}>
          <h2 id={`part-${i}`}>{name}</h2>
          {operations
            .filter((operation) => operation.tags.includes(name))
            .map((operation) => (
              <OperationFold operation={operation} description={description} base={base} />
            ))}
        </section>
      ))}
      <section aria-labelledby="schemas">
        <h2 id="schemas">Schemas</h2>
        {Object.entries(schemas)
          .toSorted(([one], [other]) => (one < other ? -1 : 1))
          .map(([name, schema]) => (
            <details class="op">
              <summary class="chev">
                <code>{name}</code>
              </summary>
              <div class="in" id={name}>
                <p>
                  <Type schema={schema} />
                </p>
                <SchemaView schema={schema} />
              </div>
            </details>
          ))}
      </section>
    </PlainDocument>
  );
};

type OperationProps = { readonly operation: Operation; readonly description: Description; readonly base: string };

const OperationFold = ({ operation, description, base }: OperationProps) => {
  const { method, path, operationId, summary, parameters, requestBody, responses } = operation;
  return (
    <details class="op">
      <summary class="chev">
        <span>
          <b class="method">{method}</b> <code>{path}</code> <span class="soft">{summary}</span>
        </span>
      </summary>
      <div class="in" id={operationId}>
        <h3>Who may</h3>
        <p>{whoMay(operation, description)}</p>
        {parameters.length === 0 ? null : <Parameters parameters={parameters} />}
        {requestBody === undefined ? null : (
          <>
            <h3>Body</h3>
            <p>
              <Bodies content={requestBody.content} />
            </p>
          </>
        )}
        <h3>Answers</h3>
        <dl class="fields">
          {Object.entries(responses).map(([status, answer]) => (
            <AnswerLine status={status} answer={answer} />
          ))}
        </dl>
        <h3>Example</h3>
        <Example operation={operation} description={description} base={base} />
      </div>
    </details>
  );
};

/** The ways in, of which any one is enough. */
function whoMay({ security }: Operation, { securitySchemes }: Description): string {
  if (security.length === 0) return "Anybody, without a key. A link, a cookie or a signature may be checked.";
  const ways = security.map((way) => {
    const [name] = Object.keys(way);
    const scheme = name === undefined ? undefined : securitySchemes[name];
    if (scheme === undefined) return "Neither of them, where the body has it.";
    return `${scheme.description}, in ${scheme.type === "apiKey" ? (scheme.name ?? "") : "Authorization: Bearer"}.`;
  });
  return ways.join(" Or: ");
}

const Parameters = ({ parameters }: { parameters: readonly Parameter[] }) => (
  <>
    <h3>Parameters</h3>
    <dl class="fields">
      {parameters.map(({ name, in: place, description, required, schema }) => (
        <div>
          <dt>
            <code>{name}</code> <span class="soft">in the {place},</span> <Type schema={schema} />
            {required ? <b> required</b> : null}
          </dt>
          <dd>{description}</dd>
        </div>
      ))}
    </dl>
  </>
);

const AnswerLine = ({ status, answer: { description, headers = {}, content } }: { status: string; answer: Answer }) => (
  <div>
    <dt>
      <b>{status === "default" ? "Any other" : status}</b> <Bodies content={content ?? {}} />
    </dt>
    <dd>
      {description}
      {Object.entries(headers).map(([name, header]) => (
        <p>
          <code>{name}</code> {header.description}
        </p>
      ))}
    </dd>
  </div>
);

/** The media types of a body, each with its schema. */
const Bodies = ({ content }: { content: Content }) => (
  <>
    {Object.entries(content).map(([type, { schema }], i) => (
      <>
        {i === 0 ? "" : " or "}
        <code>{type}</code>
        {schema.$ref === undefined ? null : (
          <>
            {" "}
            <Type schema={schema} />
          </>
        )}
      </>
    ))}
  </>
);

const Example = ({ operation, description, base }: OperationProps) => {
  const curl = curlOf({ operation, base, schemes: description.securitySchemes });
  if ("command" in curl) return <pre class="command">{curl.command}</pre>;
  return <p>{curl.none === "form" ? "Sent by the form of a page, or by Slack." : "Opened by the script of a page, as a WebSocket."}</p>;
};
