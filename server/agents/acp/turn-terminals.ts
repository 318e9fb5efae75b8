import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  type CreateTerminalRequest,
  RequestError,
  type TerminalExitStatus,
  type TerminalOutputResponse,
} from '@agentclientprotocol/sdk';
import { type Child, type ChildExit, ProcessStartError, startChild } from '../../processes/child.ts';
import { cleanEnvironment } from '../../processes/environment.ts';
import { OutputTail } from '../../processes/output-tail.ts';
import type { AgentDeps } from '../agent.ts';
import { toCommandLine } from '../command-line.ts';
import type { KnownCall } from './describe-call.ts';
import type { Permissions } from './permissions.ts';
import { refused } from './turn-files.ts';

const MOST_OUTPUT = 1_000_000;
const MOST_TERMINALS = 32;

/** A program's requests to run commands. They run in the workspace, and end with the turn. */
export class TurnTerminals {
  readonly #deps: AgentDeps;
  readonly #folder: string;
  readonly #permissions: Permissions;
  readonly #textOnly: boolean;
  readonly #terminals = new Map<string, RunningTerminal>();
  #isOver = false;

  constructor(deps: AgentDeps, folder: string, permissions: Permissions, textOnly: boolean) {
    this.#deps = deps;
    this.#folder = folder;
    this.#permissions = permissions;
    this.#textOnly = textOnly;
  }

  async create(request: CreateTerminalRequest): Promise<{ terminalId: string }> {
    const cwd = await this.#folderOf(request);
    if (this.#terminals.size >= MOST_TERMINALS) throw refused('Too many terminals are open.');
    await this.#require(request, cwd);
    if (this.#isOver) throw refused('The turn is over.');
    const terminal = await this.#start(request, cwd);
    const terminalId = randomUUID();
    this.#terminals.set(terminalId, terminal);
    return { terminalId };
  }

  output(request: { terminalId: string }): TerminalOutputResponse {
    return this.#find(request).output();
  }

  waitForExit(request: { terminalId: string }): Promise<TerminalExitStatus> {
    return this.#find(request).exited;
  }

  async kill(request: { terminalId: string }): Promise<Record<string, never>> {
    await this.#find(request).stop();
    return {};
  }

  async release(request: { terminalId: string }): Promise<Record<string, never>> {
    const terminal = this.#find(request);
    this.#terminals.delete(request.terminalId);
    await terminal.stop();
    return {};
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#terminals.values()].map((terminal) => terminal.stop()));
  }

  #find({ terminalId }: { terminalId: string }): RunningTerminal {
    const terminal = this.#terminals.get(terminalId);
    if (!terminal) throw RequestError.resourceNotFound(terminalId);
    return terminal;
  }

  async #folderOf({ cwd }: CreateTerminalRequest): Promise<string> {
    const wanted = await realpath(path.resolve(this.#folder, cwd ?? '.')).catch(() => null);
    const relative = wanted === null ? '..' : path.relative(this.#folder, wanted);
    if (relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative))
      throw refused(`${cwd} is outside the workspace, or does not exist.`);
    return wanted!;
  }

  /**
   * A command that the person has allowed as a tool call is not asked about a second time, once. An environment or another
   * folder was not part of what the person was shown, so that a command with one is asked about.
   */
  async #require({ command, args, env }: CreateTerminalRequest, cwd: string): Promise<void> {
    if (this.#textOnly) throw refused('Guests cannot use tools.');
    const line = toCommandLine({ command, args });
    const isAsShown = !env?.length && cwd === this.#folder;
    const allowed = isAsShown
      ? this.#permissions.find(({ call, isUsed }) => !isUsed && isShown(command, args ?? [], call))
      : undefined;
    if (allowed) {
      allowed.isUsed = true;
      return;
    }
    const rawInput = { command, ...(args?.length && { args }), ...(env?.length && { env }), cwd };
    const call: KnownCall = { toolCallId: randomUUID(), name: 'terminal', title: line, kind: 'execute', rawInput };
    const decided = await this.#permissions.ask(call);
    if (decided === 'cancelled') throw RequestError.requestCancelled();
    if (!decided.allowed) throw refused(decided.reason);
    if (decided.input !== undefined) throw refused('The person wants something else to be done.');
  }

  async #start({ command, args, env, outputByteLimit }: CreateTerminalRequest, cwd: string): Promise<RunningTerminal> {
    const added = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
    try {
      const limit = Math.min(outputByteLimit ?? MOST_OUTPUT, MOST_OUTPUT);
      return await RunningTerminal.start(limit, {
        command,
        args: args ?? [],
        cwd,
        env: cleanEnvironment(this.#deps.environment, added),
        registry: this.#deps.processes,
      });
    } catch (error) {
      if (error instanceof ProcessStartError) throw refused(error.message);
      throw error;
    }
  }
}

/**
 * Whether the call was shown with exactly this: as a program with its arguments, as the script of a shell, or as a line of
 * words that need no quotes. A line with quotes could be another one.
 */
function isShown(command: string, args: readonly string[], { rawInput }: KnownCall): boolean {
  const shown = (rawInput ?? {}) as { command?: unknown; args?: unknown };
  if (shown.args !== undefined) return command === shown.command && isDeepStrictEqual(args, shown.args);
  if (args.length === 0) return command === shown.command;
  const [option = '', script] = args;
  if (SHELLS.has(command) && args.length === 2 && SCRIPT_OPTIONS.has(option)) return script === shown.command;
  const words = [command, ...args];
  return words.every((word) => PLAIN_WORD.test(word)) && words.join(' ') === shown.command;
}

const SHELLS = new Set(['sh', 'bash', '/bin/sh', '/bin/bash']);
const SCRIPT_OPTIONS = new Set(['-c', '-lc']);
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

class RunningTerminal {
  readonly #child: Child;
  readonly #kept: OutputTail;
  readonly #limit: number;
  #size = 0;
  #exit: TerminalExitStatus | null = null;
  readonly exited: Promise<TerminalExitStatus>;

  static async start(limit: number, options: Parameters<typeof startChild>[0]): Promise<RunningTerminal> {
    const kept = new OutputTail(limit);
    let terminal: RunningTerminal | undefined;
    const child = await startChild({ ...options, onStderr: (text) => terminal?.keep(Buffer.from(text)) });
    terminal = new RunningTerminal(child, kept, limit);
    child.closeInput();
    return terminal;
  }

  private constructor(child: Child, kept: OutputTail, limit: number) {
    this.#child = child;
    this.#kept = kept;
    this.#limit = limit;
    this.exited = this.#follow();
  }

  keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#size += piece.length;
    this.#kept.add(piece);
  }

  output(): TerminalOutputResponse {
    const truncated = this.#size > this.#limit;
    return { output: this.#kept.text(), truncated, ...(this.#exit && { exitStatus: this.#exit }) };
  }

  stop(): Promise<void> {
    return this.#child.stop();
  }

  async #follow(): Promise<TerminalExitStatus> {
    for await (const chunk of this.#child.chunks) this.keep(chunk);
    this.#exit = toStatus(await this.#child.exited);
    return this.#exit;
  }
}

function toStatus({ code, signal }: ChildExit): TerminalExitStatus {
  return { exitCode: code, signal };
}
