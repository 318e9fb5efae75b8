import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SubscribeToPush } from '../../contract/push.ts';
import { acpAgent } from '../agents/acp/fixture.ts';
import { A2aPeer } from '../harness/a2a/peer.ts';
import { PushService } from '../harness/push-service.ts';
import { ClaudeFile, codexAgent, codexMeta, codexPerson, ProgramFolders } from '../imports/program-files.ts';

const CODEX = '0199aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee';

/** The machine of the screenshots: programs on its PATH, their sessions, a repository, and what else it reaches. */
export class DemoMachine {
  readonly #folders = new ProgramFolders();
  readonly peer: A2aPeer;
  readonly #push: PushService;

  private constructor(peer: A2aPeer, push: PushService) {
    this.peer = peer;
    this.#push = push;
  }

  static async start(): Promise<DemoMachine> {
    const machine = new DemoMachine(await A2aPeer.start(), await PushService.start());
    machine.#install('claude', '2.1.325 (Claude Code)');
    machine.#install('gemini', '0.61.0');
    machine.#keepSessions();
    machine.#makeRepository();
    return machine;
  }

  get env(): Record<string, string> {
    const PATH = [this.#at('bin'), '/usr/bin', '/bin'].join(path.delimiter);
    return { ...this.#folders.env, HOME: this.#folders.root, PATH };
  }

  /** Hosts on this machine that the server may reach. */
  get hosts(): string[] {
    return [this.peer.host, this.#push.host];
  }

  get repository(): string {
    return this.#at('invoices');
  }

  /** An agent that changes files in the repository. */
  get fixer(): object {
    const more = { displayName: 'Fixer', workspace: { folder: this.repository } };
    return acpAgent('team/fixer', this.#at('memory'), [], more);
  }

  devices(): SubscribeToPush[] {
    return ['Pixel 11', 'Firefox on Linux in the shop'].map((name, at) =>
      this.#push.subscription(name, `device-${at}`),
    );
  }

  async close(): Promise<void> {
    await this.peer.close();
    this.#push.close();
    rmSync(this.#folders.root, { recursive: true, force: true });
  }

  #at(name: string): string {
    return path.join(this.#folders.root, name);
  }

  /** A program that says its version and does nothing else. */
  #install(name: string, version: string): void {
    mkdirSync(this.#at('bin'), { recursive: true });
    const file = path.join(this.#at('bin'), name);
    writeFileSync(file, `#!/bin/sh\necho '${version}'\n`);
    chmodSync(file, 0o755);
  }

  #keepSessions(): void {
    for (const [at, title] of PROGRAM_SESSIONS.entries()) {
      const file = new ClaudeFile();
      file.person(title);
      file.answer(`msg_${at}`, [{ type: 'text', text: 'I will look at it.' }]);
      this.#folders.claude(`6f1d2c3b-0000-4000-8000-00000000000${at}`, file.records);
    }
    this.#folders.codex(CODEX, [codexMeta(CODEX), codexPerson('Port the importer'), ...codexAgent('Ported.')]);
  }

  #makeRepository(): void {
    mkdirSync(this.repository);
    mkdirSync(this.#at('memory'));
    writeFileSync(path.join(this.repository, 'totals.ts'), OLD_TOTALS);
    const git = (...args: string[]) => execFileSync('git', args, { cwd: this.repository });
    git('init', '-q');
    git('add', '.');
    git('-c', 'user.name=demo', '-c', 'user.email=demo@example.com', 'commit', '-q', '-m', 'Totals');
  }
}

const PROGRAM_SESSIONS = [
  'Why does the nightly build take forty minutes?',
  'Move the storage module to the new interface without breaking what imports it, and keep the old names for a while',
  'Mend the date picker',
];

const OLD_TOTALS = ['export function total(lines: Line[]): number {', '  let sum = 0;', '  return sum;', '}', ''].join(
  '\n',
);

/** What the fixer is told to do. */
export const FIX = [
  'write totals.ts export const total = (lines: readonly Line[]): number => lines.reduce((sum, { amount }) => sum + amount, 0);',
  'write totals.test.ts expect(total([{ amount: 2 }, { amount: 3 }])).toBe(5);',
].join('\n');
