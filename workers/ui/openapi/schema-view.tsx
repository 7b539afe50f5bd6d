// A JSON Schema as a list that is read from top to bottom: each member with its type, its bounds
// and what it means. Keywords that the list has no words for are shown as JSON.

import { type Schema, referenceOf } from "./description.ts";

/**
 * What the list and `typeWords` say, and whether members beyond those listed are allowed, which
 * neither does.
 */
const said = new Set(
  (
    "$ref type title description enum const default properties required items anyOf oneOf additionalProperties " +
    "minimum exclusiveMinimum maximum minLength maxLength minItems maxItems format pattern"
  ).split(" "),
);

/** The largest whole number that JavaScript counts with: no bound that anybody chose. */
const unbounded = Number.MAX_SAFE_INTEGER;

export const SchemaView = ({ schema }: { schema: Schema }) => {
  const members = Object.entries(schema.properties ?? {});
  const others = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
  const variants = (schema.anyOf ?? schema.oneOf ?? []).filter((each) => !isNull(each));
  const rest = Object.entries(schema).filter(([keyword]) => !said.has(keyword));
  return (
    <>
      {members.length === 0 && others === undefined ? null : (
        <dl class="fields">
          {members.map(([name, member]) => (
            <Member name={name} schema={member} isRequired={schema.required?.includes(name) === true} />
          ))}
          {others === undefined ? null : <Member name={null} schema={others} isRequired={false} />}
        </dl>
      )}
      {schema.items === undefined || !hasMore(schema.items) ? null : <SchemaView schema={schema.items} />}
      {variants.length > 1 && variants.some(hasMore) ? (
        <ul class="variants">
          {variants.map((variant) => (
            <li>
              <Type schema={variant} />
              {typeof variant["title"] === "string" ? <b> {variant["title"]}</b> : null}
              <SchemaView schema={variant} />
            </li>
          ))}
        </ul>
      ) : (
        variants.filter(hasMore).map((variant) => <SchemaView schema={variant} />)
      )}
      {rest.length === 0 ? null : <pre>{JSON.stringify(Object.fromEntries(rest))}</pre>}
    </>
  );
};

const Member = ({ name, schema, isRequired }: { name: string | null; schema: Schema; isRequired: boolean }) => (
  <div>
    <dt>
      {name === null ? <i>any name</i> : <code>{name}</code>} <Type schema={schema} />
      {isRequired ? <b> required</b> : null}
    </dt>
    <dd>
      {schema.description === undefined ? null : <p>{schema.description}</p>}
      <SchemaView schema={schema} />
    </dd>
  </div>
);

/** The type and its bounds in words; a reference is a link to its schema. */
export const Type = ({ schema }: { schema: Schema }) => {
  const name = referenceOf(schema);
  if (name !== null) return <a href={`#${name}`}>{name}</a>;
  const item = schema.items === undefined ? null : referenceOf(schema.items);
  return (
    <span class="soft">
      {typeWords(schema)}
      {item === null ? null : (
        <>
          {" "}
          of <a href={`#${item}`}>{item}</a>
        </>
      )}
    </span>
  );
};

const isNull = ({ type }: Schema): boolean => type === "null";

/** Whether there is anything to show below the line of its type. */
const hasMore = (schema: Schema): boolean =>
  schema.properties !== undefined ||
  typeof schema.additionalProperties === "object" ||
  (schema.items !== undefined && hasMore(schema.items)) ||
  [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].some(hasMore) ||
  Object.keys(schema).some((keyword) => !said.has(keyword));

/** The type of a schema and its bounds, such as `string, 1 to 128 characters`. */
function typeWords(schema: Schema): string {
  const words = [kindWords(schema), ...boundWords(schema)].filter((each) => each !== "");
  if (schema.default !== undefined) words.push(`default ${JSON.stringify(schema.default)}`);
  return words.join(", ");
}

function kindWords(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(" or ");
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.includes("array") && schema.items !== undefined && referenceOf(schema.items) === null)
    return [`list of ${typeWords(schema.items) || "anything"}`, ...types.filter((each) => each !== "array")].join(" or ");
  if (types.length > 0) return types.join(" or ");
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return [...new Set(variants.map((each) => referenceOf(each) ?? typeWords(each)))].join(" or ");
  return "anything";
}

function boundWords(schema: Schema): string[] {
  const range = (least: unknown, most: unknown, unit: string): string => {
    const low = typeof least === "number" && least !== -unbounded ? least.toLocaleString("en") : null;
    const high = typeof most === "number" && most !== unbounded ? most.toLocaleString("en") : null;
    if (high === null) return low === null ? "" : `${low} or more${unit}`;
    return low === null ? `at most ${high}${unit}` : low === high ? `${low}${unit}` : `${low} to ${high}${unit}`;
  };
  return [
    range(schema["minimum"], schema["maximum"], ""),
    typeof schema["exclusiveMinimum"] === "number" ? `more than ${schema["exclusiveMinimum"]}` : "",
    range(schema["minLength"], schema["maxLength"], " characters"),
    range(schema["minItems"], schema["maxItems"], " items"),
    // A format says what its pattern would.
    typeof schema["format"] === "string" ? schema["format"] : typeof schema["pattern"] === "string" ? `matching ${schema["pattern"]}` : "",
  ];
}
