import { setTimeout as sleep } from 'node:timers/promises';
import { deserializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { type Child, type ChildExit, type ChildOptions, startChild } from '../../processes/child.ts';
import { plainText } from './plain-text.ts';

/** What a server has not yet read of what we said. One that asks and never listens is ended. */
const MOST_UNREAD = 16_000_000;
const GOODBYE_MS = 250;
/** A server that writes without end is read for so long at a time, and then not at all for twice as long. */
const READ_MS = 10;
const REST_MS = 20;

/** Messages as lines to and from a program of its own. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: ChildOptions;
  #child: Child | undefined;
  #unread = 0;
  #closing: Promise<void> | undefined;
  #ending: string | undefined;

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  /** How it ended, in words; undefined while it goes on, and when we ended it. */
  get ending(): string | undefined {
    return this.#ending;
  }

  async start(): Promise<void> {
    this.#child = await startChild(this.#options);
    void this.#read(this.#child);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#child || this.#closing) throw new Error('The server is not running.');
    const line = `${JSON.stringify(message)}\n`;
    this.#unread += line.length;
    if (this.#unread > MOST_UNREAD) return this.#give('It does not read its input.');
    await this.#child.write(line);
    this.#unread -= line.length;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** A server ends when its input is closed; one that does not is stopped. */
  async #close(): Promise<void> {
    const child = this.#child;
    child?.closeInput();
    if (child) await Promise.race([child.exited, sleep(GOODBYE_MS, undefined, { ref: false })]);
    await child?.stop();
    this.onclose?.();
  }

  async #read(child: Child): Promise<void> {
    try {
      await this.#hearAll(child.lines);
      if (!this.#closing) this.#ending = await lastWords(child);
    } catch (error) {
      this.#ending ??= (error as Error).message;
    }
    await this.close();
  }

  /** What is not read yet waits in the pipe, and the server with it. */
  async #hearAll(lines: AsyncIterable<string>): Promise<void> {
    let spent = 0;
    for await (const line of lines) {
      const began = performance.now();
      this.#hear(line);
      spent += performance.now() - began;
      if (spent < READ_MS) continue;
      await sleep(REST_MS);
      spent = 0;
    }
  }

  /** Some servers also print to where only messages belong. */
  #hear(line: string): void {
    if (line.trim() === '' || this.#closing) return;
    try {
      this.onmessage?.(deserializeMessage(line));
    } catch {
      this.onerror?.(new Error('A line of its output is not an MCP message.'));
    }
  }

  #give(reason: string): Promise<void> {
    this.#ending ??= reason;
    return this.close();
  }
}

/** A process of the program that lives on may keep stderr open. */
const UNREAD_MS = 100;

async function lastWords(child: Child): Promise<string> {
  const exit = await Promise.race([child.exited, sleep(GOODBYE_MS, undefined, { ref: false })]);
  await Promise.race([child.stderrRead, sleep(UNREAD_MS, undefined, { ref: false })]);
  const how = exit ? describeExit(exit) : 'It closed its output.';
  const said = child.stderrTail().trim().split('\n').at(-1) ?? '';
  return said ? `${how} Its last output: ${plainText(said, 300)}` : how;
}

function describeExit({ code, signal }: ChildExit): string {
  return signal ? `It was killed by ${signal}.` : `It exited with code ${code}.`;
}
