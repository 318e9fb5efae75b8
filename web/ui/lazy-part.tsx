import { type ComponentType, type ReactNode, useSyncExternalStore } from 'react';
import { importTwice } from './import-twice.ts';

export type LazyPart<Props> = ((props: Props) => ReactNode) & {
  /** Loads the part's script, so that it also appears without a connection. */
  preload(): Promise<unknown>;
};

interface Meanwhile<Props> {
  /** Shown while the script is loading; nothing by default. */
  loading?: ComponentType<Props>;
  /** Shown after a failed attempt, until a later one succeeds; by default the same as while loading. */
  failed?: ComponentType<Props>;
}

/**
 * A part of a page whose script is loaded when the part is first shown. If the script cannot be loaded, the rest of the
 * page stays, and loading is tried again for as long as the part is shown. `React.lazy` does neither: it keeps a failed
 * import and throws it into the page. (Chromium remembers failed imports itself: there only a reload brings the part.)
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { loading, failed = loading }: Meanwhile<Props> = {},
): LazyPart<Props> {
  const script = new PartScript(load);
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each part, when this module's importer loads
  const Part = (props: Props) => {
    const state = useSyncExternalStore(script.subscribe, script.state);
    const Shown = state === 'loading' ? loading : state === 'failed' ? failed : state.component;
    return Shown ? <Shown {...props} /> : null;
  };
  return Object.assign(Part, { preload: script.load });
}

type ScriptState<Props> = 'loading' | 'failed' | { component: ComponentType<Props> };

const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;

class PartScript<Props> {
  readonly #import: () => Promise<ComponentType<Props>>;
  readonly #listeners = new Set<() => void>();
  #state: ScriptState<Props> = 'loading';
  #attempt: Promise<void> | null = null;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #retryMs = FIRST_RETRY_MS;

  constructor(load: () => Promise<ComponentType<Props>>) {
    this.#import = load;
  }

  readonly state = (): ScriptState<Props> => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    this.#tryNow();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#rest();
    };
  };

  readonly load = (): Promise<void> => {
    this.#attempt ??= importTwice(this.#import).then(
      (component) => this.#become({ component }),
      (error: unknown) => {
        this.#attempt = null;
        if (this.#listeners.size > 0) this.#become('failed');
        throw error;
      },
    );
    return this.#attempt;
  };

  readonly #tryNow = (): void => {
    clearTimeout(this.#retry);
    this.load().then(
      () => undefined,
      () => this.#tryLater(),
    );
  };

  #tryLater(): void {
    if (this.#listeners.size === 0) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(this.#tryNow, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }

  /** The part is not shown any more; the next time it is, it starts by loading. */
  #rest(): void {
    clearTimeout(this.#retry);
    this.#retryMs = FIRST_RETRY_MS;
    if (this.#state === 'failed') this.#state = 'loading';
  }

  #become(state: ScriptState<Props>): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
