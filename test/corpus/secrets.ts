// Forms of secrets, by kind. `known`: of a service, found by its form or by the name of the
// service. `assigned`: random values of names, found only where a rule asks for that. The rest are
// secrets that no rule claims to know: they are counted as missed.

export type SecretForm = { readonly kind: string; readonly group: "known" | "assigned" | "other"; readonly form: string };

const known = (kind: string, ...forms: string[]): SecretForm[] => forms.map((form) => ({ kind, group: "known", form }));
const assigned = (kind: string, ...forms: string[]): SecretForm[] => forms.map((form) => ({ kind, group: "assigned", form }));
const other = (kind: string, ...forms: string[]): SecretForm[] => forms.map((form) => ({ kind, group: "other", form }));

const lines = (from: string, count: number): string => Array.from({ length: count }, () => from).join("\n");

export const secretForms: readonly SecretForm[] = [
  ...known("GitHub", "ghp_{a:36}", "gho_{a:36}", "ghs_{a:36}", "ghr_{a:36}", "github_pat_{a:22}_{a:59}"),
  ...known("GitLab", "glpat-{w:20}", "gldt-{w:20}", "glrt-{w:20}", "glptt-{h:40}", "GR1348941{w:20}"),
  ...known("AWS access key", "AKIA{A:16}", "ASIA{A:16}"),
  ...known("Google", "AIza{w:35}", "GOCSPX-{w:28}", "ya29.{w:60}"),
  ...known(
    "OpenAI, Anthropic and similar",
    "sk-proj-{w:74}T3BlbkFJ{w:74}",
    "sk-{a:20}T3BlbkFJ{a:20}",
    "sk-ant-api03-{w:93}AA",
    "sk-or-v1-{h:64}",
  ),
  ...known("Hugging Face", "hf_{l:34}"),
  ...known(
    "Slack",
    "xoxb-{d:12}-{d:12}-{a:24}",
    "xoxp-{d:11}-{d:11}-{d:11}-{a:32}",
    "xapp-1-{A:11}-{d:12}-{n:32}",
    "https://hooks.slack.com/services/T{A:8}/B{A:8}/{a:24}",
  ),
  ...known("Stripe", "sk_live_{a:24}", "rk_live_{a:24}", "sk_test_{a:24}"),
  ...known("npm and PyPI", "npm_{n:36}", "pypi-AgEIcHlwaS5vcmc{w:70}"),
  ...known("JSON Web Token", "eyJhbGciOiJIUzI1NiJ9.eyJ{a:60}.{w:43}", "eyJ{a:30}.eyJ{a:200}.{w:86}"),
  ...known(
    "private key",
    `-----BEGIN RSA ${"PRIVATE KEY"}-----\n${lines("{b:64}", 12)}\n-----END RSA ${"PRIVATE KEY"}-----`,
    `-----BEGIN ${"PRIVATE KEY"}-----\n${lines("{b:64}", 4)}\n-----END ${"PRIVATE KEY"}-----`,
  ),
  ...known(
    "password in a URL",
    "postgres://app:{a:14}@db.internal:5432/main",
    "redis://:{a:20}@cache:6379/0",
    "https://deploy:{a:16}@git.example.com/x.git",
  ),
  ...known("SendGrid, Twilio, Mailgun", "SG.{w:22}.{w:43}", "SK{h:32}", "mailgun_key = 'key-{h:32}'"),
  ...known("DigitalOcean, Heroku, Fly", "dop_v1_{h:64}", "HEROKU_API_KEY={h:8}-{h:4}-{h:4}-{h:4}-{h:12}", "fo1_{w:43}"),
  ...known("Databricks, Postman, Linear, Notion", "dapi{h:32}", "PMAK-{h:24}-{h:34}", "lin_api_{a:40}", "ntn_{d:11}{a:35}"),
  ...known(
    "named service",
    'DISCORD_CLIENT_SECRET="{n:32}"',
    "datadog_api_key: {n:40}",
    "okta_token = 00{w:40}",
    "TELEGRAM_BOT_TOKEN={d:9}:A{w:34}",
    "cloudflare_api_token={w:40}",
  ),
  ...known("Azure AD", "abc{d:1}Q~{w:33}"),
  ...assigned("password of a name", 'password = "{a:20}"', "DB_PASSWORD={a:18}", '{"passwd": "{a:16}"}'),
  ...assigned(
    "token or key of a name",
    "api_key: {a:32}",
    'secret: "{w:40}"',
    "X-Auth-Token: {h:40}",
    "ACCESS_KEY={b:40}",
    "export MY_TOKEN='{w:48}'",
  ),
  ...other("AWS secret key alone", "{b:40}"),
  ...other("password in words", "the password is {l:9}", "my pin is {d:6}"),
  ...other("encoded secret", "cGFzc3dvcmQ9{b:24}"),
  ...other("credentials of Basic authentication", "Authorization: Basic {b:28}"),
];

/** What stands around a secret. */
export const settings: readonly string[] = [
  "{secret}",
  "Please look at this: {secret}. Why does it not work?",
  "line one\n  {secret}\nline three",
  "<pre>{secret}</pre>",
  "请检查：{secret}，谢谢。",
];
