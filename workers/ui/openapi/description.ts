// What the page reads of the gateway's OpenAPI description. The gateway and this Worker are
// deployed together, and the gateway's tests hold the description to OpenAPI 3.1; so it is not
// checked again here.

export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly [keyword: string]: unknown;
};

export type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

export type Parameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description: string;
  readonly required: boolean;
  readonly schema: Schema;
};

export type Answer = {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string }>>;
  readonly content?: Content;
};

export type Operation = {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
};

export type SecurityScheme = { readonly type: "http" | "apiKey"; readonly name?: string; readonly description: string };

export type Description = {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly operations: readonly Operation[];
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  readonly schemas: Readonly<Record<string, Schema>>;
};

type Document = Pick<Description, "info" | "tags"> & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, "method" | "path">>>>>;
  readonly components: Pick<Description, "securitySchemes" | "schemas">;
};

/** The description of `GET /openapi.json`, with its operations in one list. */
export function readDescription(json: string): Description {
  const { info, tags, paths, components } = JSON.parse(json) as Document; // See above.
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => ({ ...operation, method: method.toUpperCase(), path })),
  );
  return { info, tags, operations, securitySchemes: components.securitySchemes, schemas: components.schemas };
}

/** The name in a reference to one of the description's schemas; null for anything else. */
export const referenceOf = ({ $ref }: Schema): string | null => /^#\/components\/schemas\/(\w+)$/.exec($ref ?? "")?.[1] ?? null;
