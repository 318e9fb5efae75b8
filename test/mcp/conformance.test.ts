import { execFile } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SUITE = path.join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const CLIENT = path.join(ROOT, 'test/mcp/conformance-client.ts');

const SCENARIOS = ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'];

/** Signing in to a server by OAuth is not something Parley does: credentials are given as headers. */
const NOT_OURS = /^auth\//;

/** The suite measures how soon we come back; on a busy machine it may measure the machine. */
const MOST_ATTEMPTS = 3;

describe("the protocol's own conformance suite", () => {
  it('has no scenario for clients that we have not looked at', async () => {
    const { output } = await runSuite('list');
    const listed = output.slice(output.indexOf('Client scenarios')).matchAll(/^ {2}- (\S+)/gm);
    const ours = Array.from(listed, ([, name]) => name!).filter((name) => !NOT_OURS.test(name));
    expect(ours).toEqual(SCENARIOS);
  });

  it.each(SCENARIOS)('%s passes', { timeout: 60_000, retry: MOST_ATTEMPTS - 1 }, async (scenario) => {
    const command = `"${process.execPath}" "${CLIENT}"`;
    const { output, code } = await runSuite('client', '--command', command, '--scenario', scenario);
    expect(output).toContain('OVERALL: PASSED');
    expect(output).toContain(', 0 failed, 0 warnings');
    expect(code).toBe(0);
  });
});

function runSuite(...args: string[]): Promise<{ output: string; code: number | null }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [SUITE, ...args], (_, stdout, stderr) =>
      resolve({ output: stdout + stderr, code: child.exitCode }),
    );
  });
}
