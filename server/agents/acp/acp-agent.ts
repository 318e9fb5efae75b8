import type { ContentBlock, McpServer } from '@agentclientprotocol/sdk';
import type { AgentDeps, AgentEvent, TurnHost, TurnInput } from '../agent.ts';
import type { ToolEndpoint } from '../host-requests.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import type { Opening, TextAgent, TextConversation } from '../text-agent.ts';
import { runTextTurn } from '../text-turn.ts';
import { AcpConversation } from './conversation.ts';
import { LiveSessions } from './live-sessions.ts';
import { configure, guestMode } from './modes.ts';
import { closeSession, openSession, readState } from './open-session.ts';
import { AcpProgram } from './program.ts';
import type { AcpSettings } from './settings.ts';
import { SharedSession } from './shared-session.ts';
import { TurnClient } from './turn-client.ts';

/**
 * A program that speaks the Agent Client Protocol. One program serves one session of Parley; it is kept between turns, and
 * what it remembers is found again by the id of its own session.
 */
export class AcpAgent implements TextAgent {
  readonly callsTools = true;
  readonly agent: ResolvedAgent<AcpSettings>;
  readonly #deps: AgentDeps;
  readonly #live: LiveSessions;
  readonly #onProgram: (program: AcpProgram) => void;

  /** `onProgram` is told of the program of every turn, once it has greeted. */
  constructor(agent: ResolvedAgent<AcpSettings>, deps: AgentDeps, onProgram: (program: AcpProgram) => void) {
    this.agent = agent;
    this.#deps = deps;
    this.#onProgram = onProgram;
    this.#live = LiveSessions.of(deps.pool);
  }

  get attachments() {
    return this.#deps.attachments;
  }

  run(turn: TurnInput, host: TurnHost, signal: AbortSignal): AsyncIterable<AgentEvent> {
    const caller = turn.askedBy === null ? undefined : this.#live.find(turn.sessionId, turn.askedBy);
    const mode = caller?.modes.get(this.agent.agentId);
    if (!caller || mode === undefined || turn.textOnly) return runTextTurn(this, turn, host, signal);
    const shared = new SharedSession(this.agent, this.#deps, caller, mode);
    return runTextTurn(shared, { ...turn, unseen: { summary: null, messages: [] } }, host, signal);
  }

  async open(opening: Opening): Promise<TextConversation> {
    const { turn, host, signal } = opening;
    const { pool } = this.#deps;
    const folder = await host.workspace();
    const key = ['acp', this.agent.agentId, this.agent.version, turn.sessionId, folder].join('\n');
    const program = await pool.use(key, () => AcpProgram.start(this.agent.settings, this.#deps, folder, signal));
    this.#onProgram(program);
    const stop = () => void program.close();
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await this.#converse(program, folder, opening, (broken) => pool.release(key, program, broken));
    } catch (error) {
      await pool.release(key, program, true);
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** A guest that has no session here yet is given one for this turn only, without Parley's tools. */
  async #converse(
    program: AcpProgram,
    folder: string,
    { state, instructions, turn, host }: Opening,
    release: (broken: boolean) => Promise<void>,
  ): Promise<TextConversation> {
    const { settings, agentId } = this.agent;
    const { textOnly, sessionId } = turn;
    const saved = readState(state);
    const isKept = !textOnly || saved !== null;
    const mcpServers = textOnly ? [] : [toolServer(program, host)];
    const { session, isNew } = await openSession(program, { saved, folder, mcpServers });
    if (isKept) program.session = session;
    if (isNew) await configure(program, session, settings);
    const forget = this.#live.add(sessionId, agentId, { program, session, folder, modes: settings.modes });
    return new AcpConversation({
      program,
      session,
      client: new TurnClient({ deps: this.#deps, host, session, folder, textOnly }),
      mode: textOnly ? guestMode(settings, session) : (settings.mode ?? session.ownMode),
      instructions: isNew || textOnly ? instructions : null,
      images: await this.#images(program, turn),
      isKept,
      silenceMs: this.#deps.limits().idleMs,
      release: async (broken) => {
        forget();
        if (!isKept && !broken) await closeSession(program, session);
        await release(broken);
      },
    });
  }

  async #images(program: AcpProgram, { input }: TurnInput): Promise<ContentBlock[]> {
    if (!program.about.agentCapabilities?.promptCapabilities?.image) return [];
    const images = await this.attachments.imagesOf(input);
    return images.map(({ mediaType, data }) => ({ type: 'image', mimeType: mediaType, data }));
  }
}

/** The program keeps what it was given at first, so every turn makes the same token valid again. */
function toolServer(program: AcpProgram, host: TurnHost): McpServer {
  const endpoint = host.toolEndpoint(program.toolToken);
  program.toolToken = endpoint.token;
  return program.about.agentCapabilities?.mcpCapabilities?.http ? overHttp(endpoint) : overStdio(endpoint);
}

const NAME = 'parley';

function overHttp({ url, token }: ToolEndpoint): McpServer {
  return { type: 'http', name: NAME, url, headers: [{ name: 'Authorization', value: `Bearer ${token}` }] };
}

function overStdio({ bridge: { command, args, env } }: ToolEndpoint): McpServer {
  const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
  return { name: NAME, command, args: [...args], env: variables };
}
