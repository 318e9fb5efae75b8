import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { onTestFinished } from 'vitest';
import { type RenderResult, render } from 'vitest-browser-react';
import { ParleyClient } from '../../client/parley-client.ts';
import { fromSnapshot, type Snapshot } from '../../client/session-state.ts';
import type { Agent } from '../../contract/agents.ts';
import { APP_SLOTS } from '../../web/app/slots.ts';
import { Live } from '../../web/live/live.ts';
import type { LiveState } from '../../web/live/live-state.ts';
import { LiveContext } from '../../web/live/use-live.ts';
import { FillSlots } from '../../web/state/slots.tsx';
import { Toasts } from '../../web/ui/toast.tsx';
import { anAgent } from '../harness/shapes.ts';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

type Answers = Readonly<Record<string, unknown>>;

/** The page's real connection to a server that answers what the test says, and notes what it was asked to change. */
export class Fixture {
  /** Everything but reading. */
  readonly asked: Asked[] = [];
  readonly live: Live;
  readonly #answers: Answers;

  /** Answers by `METHOD /path`; an `Error` refuses. What is not there is answered with an empty object. */
  constructor(answers: Answers = {}) {
    this.#answers = { 'GET /api/agents': { agents: AGENTS, configuration: { valid: true, issues: [] } }, ...answers };
    const fetch = async (url: string, init: RequestInit) => this.#answer(new URL(url).pathname, init);
    this.live = new Live(new ParleyClient({ baseUrl: location.origin, fetch }));
    onTestFinished(() => this.live.stop());
  }

  /** As if the server had said so. */
  change(change: Partial<LiveState>): void {
    this.live.store.setState(change);
  }

  /** A conversation that is open. */
  open(snapshot: Partial<Snapshot> & Pick<Snapshot, 'session'>): void {
    const state = fromSnapshot({ messages: [], queue: [], turns: [], ...snapshot });
    const { id } = snapshot.session;
    const { states, sessions } = this.live.store.getState();
    this.change({
      connection: 'open',
      states: new Map(states).set(id, state),
      sessions: new Map(sessions).set(id, snapshot.session),
    });
  }

  show(children: ReactNode): Promise<RenderResult> {
    return render(this.around(children));
  }

  around(children: ReactNode): ReactNode {
    const root = createRootRoute({ component: () => children });
    const router = createRouter({ routeTree: root, history: createMemoryHistory() });
    return (
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={new QueryClient()}>
          <LiveContext value={this.live}>
            <FillSlots slots={APP_SLOTS}>
              <RouterProvider router={router as never} />
            </FillSlots>
            <Toasts />
          </LiveContext>
        </QueryClientProvider>
      </CSPProvider>
    );
  }

  #answer(path: string, { method = 'GET', body }: RequestInit): Response {
    if (method !== 'GET')
      this.asked.push({ method, path, body: typeof body === 'string' ? JSON.parse(body) : undefined });
    const answer = this.#answers[`${method} ${path}`];
    if (answer instanceof Error)
      return Response.json({ code: 'invalid_request', detail: answer.message }, { status: 400 });
    // An agent whose definition says nothing.
    const unknown = path.startsWith('/api/agents/') ? { resolved: {} } : {};
    return typeof answer === 'string' ? new Response(answer) : Response.json(answer ?? unknown);
  }
}

export function agent(agentId: string, more: Partial<Agent> = {}): Agent {
  return anAgent(agentId, { description: `What ${agentId} does.`, ...more });
}

const AGENTS: readonly Agent[] = [agent('coder'), agent('critic'), agent('writer')];
