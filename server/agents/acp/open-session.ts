import { setImmediate as macrotask } from 'node:timers/promises';
import {
  type LoadSessionResponse,
  type McpServer,
  methods,
  type NewSessionResponse,
  type SessionConfigOption,
  type SessionModeState,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { StateLost } from '../text-agent.ts';
import { AcpFailure } from './failure.ts';
import { LateWords } from './late-words.ts';
import type { AcpProgram } from './program.ts';

/** What Parley keeps of an ACP session between turns. */
const SavedSession = z.object({
  session: z.string(),
  /** The mode in which the session began. */
  mode: z.string().nullable(),
  /** What the session has cost in all. */
  cost: z.number(),
});
export type SavedSession = z.infer<typeof SavedSession>;

type Opened = Pick<NewSessionResponse & LoadSessionResponse, 'modes' | 'configOptions'>;

/** An ACP session that is open in a program, with what the program says of it. */
export class OpenSession {
  readonly id: string;
  readonly late = new LateWords();
  /** The mode to return to when no setting names one. */
  readonly ownMode: string | null;
  #modes: SessionModeState | null;
  #options: readonly SessionConfigOption[];
  /** What it has cost in all, as far as the program says. */
  cost: number;

  constructor(id: string, opened: Opened, saved: Pick<SavedSession, 'mode' | 'cost'> | null) {
    this.id = id;
    this.#modes = opened.modes ?? null;
    this.#options = opened.configOptions ?? [];
    this.ownMode = saved?.mode ?? this.mode;
    this.cost = saved?.cost ?? 0;
  }

  get mode(): string | null {
    const option = this.optionOf('mode');
    return this.#modes?.currentModeId ?? (typeof option?.currentValue === 'string' ? option.currentValue : null);
  }

  /** By name, those of the newer list of options included. */
  get modes(): readonly string[] {
    return this.#modes?.availableModes.map(({ id }) => id) ?? valuesOf(this.optionOf('mode'));
  }

  /** False where the modes are only in the newer list of options. */
  get hasModeList(): boolean {
    return this.#modes !== null;
  }

  get options(): readonly SessionConfigOption[] {
    return this.#options;
  }

  optionOf(category: string): SessionConfigOption | undefined {
    return this.#options.find((option) => option.category === category);
  }

  noteMode(mode: string): void {
    if (this.#modes) this.#modes = { ...this.#modes, currentModeId: mode };
  }

  noteOptions(options: readonly SessionConfigOption[]): void {
    this.#options = options;
  }

  /** What concerns the session itself, whether or not a turn runs. */
  take(update: SessionUpdate): void {
    if (update.sessionUpdate === 'current_mode_update') this.noteMode(update.currentModeId);
    if (update.sessionUpdate === 'config_option_update') this.noteOptions(update.configOptions);
    if (update.sessionUpdate === 'usage_update' && update.cost) this.cost = update.cost.amount;
  }

  /** While no prompt is under way. */
  takeLate(update: SessionUpdate): void {
    this.take(update);
    if (SPEECH.has(update.sessionUpdate)) this.late.heard();
  }

  toState(): string {
    const saved: SavedSession = { session: this.id, mode: this.ownMode, cost: this.cost };
    return JSON.stringify(saved);
  }
}

const SPEECH: ReadonlySet<string> = new Set([
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
]);

export function readState(state: string | null): SavedSession | null {
  return state === null ? null : SavedSession.parse(JSON.parse(state));
}

export interface Opening {
  readonly saved: SavedSession | null;
  readonly folder: string;
  readonly mcpServers: readonly McpServer[];
}

/** The session that was kept, or a new one where none was. Throws `StateLost` when the program no longer has it. */
export async function openSession(
  program: AcpProgram,
  { saved, folder, mcpServers }: Opening,
): Promise<{ session: OpenSession; isNew: boolean }> {
  if (saved && program.session?.id === saved.session) return { session: program.session, isNew: false };
  const place = { cwd: folder, mcpServers: [...mcpServers] };
  if (saved) return { session: await resume(program, saved, place), isNew: false };
  const opened = await program.ask<NewSessionResponse>(methods.agent.session.new, place);
  return { session: new OpenSession(opened.sessionId, opened, null), isNew: true };
}

/** What a program repeats while it loads is not shown again. */
async function resume(program: AcpProgram, saved: SavedSession, place: object): Promise<OpenSession> {
  const { loadSession, sessionCapabilities } = program.about.agentCapabilities ?? {};
  const { resume, load } = methods.agent.session;
  const method = sessionCapabilities?.resume ? resume : loadSession ? load : null;
  if (!method) throw new StateLost();
  try {
    const opened = await program.ask<Opened | null>(method, { ...place, sessionId: saved.session });
    // An answer overtakes what was told before it.
    if (method === load) await macrotask();
    // Pi begins a new session, without a word, where the file of the old one is gone.
    if (method === load && !program.hasTold(saved.session)) throw new StateLost();
    return new OpenSession(saved.session, opened ?? {}, saved);
  } catch (error) {
    if (error instanceof AcpFailure && error.code !== null) throw new StateLost();
    throw error;
  }
}

/** Programs that can end a session need not keep what no later turn asks for. */
export async function closeSession(program: AcpProgram, { id }: OpenSession): Promise<void> {
  if (!program.about.agentCapabilities?.sessionCapabilities?.close) return;
  await program.ask(methods.agent.session.close, { sessionId: id }).catch(() => undefined);
}

function valuesOf(option: SessionConfigOption | undefined): string[] {
  if (option?.type !== 'select') return [];
  return option.options.flatMap((entry) => ('options' in entry ? entry.options : [entry])).map(({ value }) => value);
}
