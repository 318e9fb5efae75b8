import { PlaywrightBrowserProvider, playwright } from '@vitest/browser-playwright';
import { findChromium } from './chromium.ts';

type Project = ConstructorParameters<typeof PlaywrightBrowserProvider>[0];
type Options = ConstructorParameters<typeof PlaywrightBrowserProvider>[1];

/** Component tests run in the browser of all browser tests. It is looked for when they begin: nobody else waits for it. */
export function foundChromium(): ReturnType<typeof playwright> {
  const { prewarm: _, ...provider } = playwright();
  return { ...provider, providerFactory: (project) => new FoundChromium(project) };
}

class FoundChromium extends PlaywrightBrowserProvider {
  readonly #launch: NonNullable<Options['launchOptions']>;

  constructor(project: Project) {
    const launchOptions = {};
    super(project, { launchOptions, contextOptions: { reducedMotion: 'reduce' } });
    this.#launch = launchOptions;
  }

  override async openPage(...given: Parameters<PlaywrightBrowserProvider['openPage']>): Promise<void> {
    const { executablePath, args, env } = await findChromium();
    Object.assign(this.#launch, { executablePath, args, env: { ...process.env, ...env } });
    return super.openPage(...given);
  }
}
