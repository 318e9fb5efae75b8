import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Session } from '../../contract/sessions.ts';
import { Parley } from '../harness/parley.ts';
import { ClaudeFile, ProgramFolders } from './program-files.ts';

const ID = '6f1d2c3b-0000-4000-8000-000000000002';

/** Speaks as much of Claude's protocol as one answer takes, and writes down how it was started and what it was sent. */
const PROGRAM = `
const { appendFileSync } = require('node:fs');
const { createInterface } = require('node:readline');
const log = (line) => appendFileSync(process.env.LOG_FILE, line + '\\n');
const say = (record) => process.stdout.write(JSON.stringify(record) + '\\n');
log('started ' + process.argv.slice(2).join(' '));
createInterface({ input: process.stdin }).on('line', (line) => {
  const record = JSON.parse(line);
  if (record.type === 'control_request')
    return say({ type: 'control_response', response: { subtype: 'success', request_id: record.request_id, response: {} } });
  if (record.type !== 'user') return;
  log('prompt ' + JSON.stringify(record.message.content));
  say({ ...record, isReplay: true });
  say({ type: 'system', subtype: 'init', session_id: '${ID}', model: 'scripted', tools: [] });
  const content = [{ type: 'text', text: 'By night train.' }];
  say({ type: 'assistant', session_id: '${ID}', message: { id: 'm1', role: 'assistant', model: 'scripted', content } });
  say({ type: 'result', subtype: 'success', is_error: false, result: 'By night train.', session_id: '${ID}', usage: {} });
});
`;

test('the next message in an imported session continues the session of the program', async () => {
  const folders = new ProgramFolders();
  onTestFinished(() => rmSync(folders.root, { recursive: true }));
  const command = path.join(folders.root, 'program');
  const log = path.join(folders.root, 'log');
  writeFileSync(command, `#!${process.execPath}\n${PROGRAM}`);
  chmodSync(command, 0o755);
  const file = new ClaudeFile();
  file.person('Plan the trip');
  file.answer('msg_1', [{ type: 'text', text: 'By train.' }]);
  folders.claude(ID, file.records);
  const chat = { provider: 'claude-cli', cli: { command, env: { LOG_FILE: log } } };
  const parley = await Parley.start({ config: { agents: [{ agentId: 'coder', chat }] }, env: folders.env });
  onTestFinished(() => parley.close());

  const { body: session } = await parley.request<Session>('POST', '/api/program-session-imports', {
    from: 'claude',
    id: ID,
  });
  expect(session.agentId).toBe('coder');
  expect(() => readFileSync(log)).toThrow('ENOENT');
  const { answer, turn } = await parley.say(session.id, { content: 'By day or by night?' });

  expect([turn.state, answer?.text]).toEqual(['complete', 'By night train.']);
  const told = readFileSync(log, 'utf8');
  expect(told).toMatch(new RegExp(`^started .*--resume[ =]${ID}`));
  expect(told).toContain('By day or by night?');
  expect(told).not.toContain('By train.');
});
