import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Parley } from '../harness/parley.ts';

const run = promisify(execFile);
const TSC = path.resolve(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

let parley: Parley;
let source: string;
beforeAll(async () => {
  const agents = [{ agentId: 'team/ada', chat: { provider: 'demo' }, systemPrompt: 'x' }];
  parley = await Parley.start({ config: { agents } });
  source = await (await parley.fetch('GET', '/api/openapi.json')).text();
});
afterAll(() => parley.close());

it('the OpenAPI document passes the strict rules of Redocly', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source, config });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  const broken = await lintFromString({ source: source.replace('"operationId":"health"', '"frob":1'), config });
  expect(broken.map(({ ruleId }) => ruleId)).toContain('struct');
});

it('a client generated from it type-checks, creates a session, sends a message and reads a stream', async () => {
  await generateTypes();
  await run(process.execPath, [TSC, '-p', import.meta.dirname]).catch(({ stdout }) => expect.fail(stdout));
  const client = path.join(import.meta.dirname, 'client.ts');
  const { stdout } = await run(process.execPath, [client, parley.url, parley.token]);
  const said = JSON.parse(stdout);
  expect(said).toMatchObject({ turn: 'complete', agent: 'team/ada', problem: 'session_not_found' });
  expect(said.types.filter((type: string) => type !== 'delta')).toEqual([
    'turn.queued',
    'turn.started',
    'message.created',
    'turn.settled',
  ]);
  expect(said.text).not.toBe('');
  expect(said.answer).toBe(said.text);
});

async function generateTypes(): Promise<void> {
  const folder = path.join(import.meta.dirname, 'generated');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'api.ts'), astToString(await openapiTS(source, { defaultNonNullable: false })));
}
