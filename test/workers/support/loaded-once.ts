// Vitest's plugin for workerd asks for the Worker's module again at each request and at each call
// of an object: through the runner's own object, and through vitest's channel to Node, where Vite
// resolves its path. That took more time than the tests. The files of a runtime share one instance
// of it (`isolate: false`), which is handed out from here once it is loaded.
//
// Where a later plugin has no such parts, nothing is changed: tests take longer.

type Import = (id: string) => Promise<unknown>;
type Method = (this: object) => Promise<unknown>;

type Runner = { import: Import };

const main = /\/test\/workers\/support\/worker-with-tools\.ts$/;
const changed = new WeakSet<object>();

/** Whether this is the first time. */
function isNew(value: object): boolean {
  const isKnown = changed.has(value);
  changed.add(value);
  return !isKnown;
}

/** Called as each file begins. */
export function loadMainOnce(): void {
  const { __vitest_mocker__: mocker } = globalThis as { readonly __vitest_mocker__?: { readonly moduleRunner?: Runner } }; // vitest's own
  const runner = mocker?.moduleRunner;
  if (runner !== undefined && isNew(runner)) keepMain(runner);
  if (isNew(Reflect)) keepInstances();
}

/**
 * The module, and not the promise of it: that would belong to the request or object that asked
 * first.
 */
function keepMain(runner: Runner): void {
  const load = runner.import.bind(runner);
  const loaded = new Map<string, unknown>();
  runner.import = async (id) => {
    if (loaded.has(id)) return loaded.get(id);
    const module = await load(id);
    if (main.test(id)) loaded.set(id, module);
    return module;
  };
}

/**
 * The plugin's wrapper of an object looks for its class at each call, and has it from the first.
 */
function keepInstances(): void {
  const construct = Reflect.construct;
  const constructKept = (target: NewableFunction, given: ArrayLike<unknown>, made: NewableFunction = target): unknown => {
    if (made !== target && isNew(made)) keepInstance(made.prototype);
    return construct(target, given, made);
  };
  Reflect.construct = constructKept as typeof construct; // of which one overload is generic
}

function keepInstance(wrapper: object): void {
  const key = Object.getOwnPropertySymbols(wrapper).find(({ description }) => description === "kEnsureInstance");
  if (key === undefined) return;
  const methods = wrapper as Record<symbol, Method>; // the plugin's own
  const ensure = methods[key];
  if (ensure === undefined) return;
  const found = new WeakMap<object, unknown>();
  methods[key] = async function () {
    if (found.has(this)) return found.get(this);
    const instance = await ensure.call(this);
    found.set(this, instance);
    return instance;
  };
}
