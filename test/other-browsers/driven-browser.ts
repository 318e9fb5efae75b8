/** A real browser, as far as the main flows need one. */
export interface DrivenBrowser {
  goto(url: string): Promise<void>;
  reload(): Promise<void>;
  /** The value of an expression in the page. */
  evaluate<T>(expression: string): Promise<T>;
  /** Text into whatever has the focus. */
  type(text: string): Promise<void>;
  press(key: 'Enter' | 'Escape' | 'Control+k'): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  close(): Promise<void>;
}

const PATIENCE_MS = 20_000;
const PAUSE_MS = 100;

/** Waits until an expression holds in the page; says which one never did. */
export async function until(browser: DrivenBrowser, expression: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await holds(browser, expression))) {
    if (Date.now() > deadline) throw new Error(`never true in the page: ${expression}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** A page that is just being replaced cannot be asked. */
async function holds(browser: DrivenBrowser, expression: string): Promise<boolean> {
  return browser.evaluate<boolean>(`Boolean(${expression})`).catch(() => false);
}

export function seesText(words: string): string {
  return `document.body.innerText.includes(${JSON.stringify(words)})`;
}
