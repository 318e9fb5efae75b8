import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SampleRequest } from '../../server/tools/mcp/sampling.ts';
import { call, McpFixture, scripted, toolOf, until } from './mcp-fixture.ts';

async function asking() {
  const servers = await new McpFixture({ it: scripted() }).meet();
  return { servers, ask: toolOf(servers, 'it__ask') };
}

describe('a server that asks', () => {
  it('has its question put to the person whose call it is, field by field', async () => {
    const { ask } = await asking();
    const values = { name: 'Ada', age: 36, color: 'red', size: 'Large', days: ['mon'], sure: false };
    const made = call(ask, {}, { answer: () => ({ values }) });
    expect(JSON.parse((await made.result).text).content).toEqual({ ...values, size: 'l' });
    expect(made.asked).toEqual([
      {
        question: 'The MCP server it asks: Who?',
        fields: [
          { name: 'name', type: 'text', label: 'Your name', required: true },
          { name: 'age', type: 'integer' },
          { name: 'color', type: 'choice', options: ['red', 'green'], default: 'green' },
          { name: 'size', type: 'choice', options: ['Small', 'Large'] },
          { name: 'days', type: 'choices', options: ['mon', 'tue'] },
          { name: 'sure', type: 'boolean', default: true },
        ],
      },
    ]);
  });

  it('is told that the person declines', async () => {
    const { ask } = await asking();
    const declined = await call(ask, {}, { answer: () => null }).result;
    expect(JSON.parse(declined.text).response).toEqual({ action: 'decline' });
  });

  it('never gets an answer of which it did not approve: the person is asked again', async () => {
    const { ask } = await asking();
    const answers = [{}, { name: 'A', age: 1.5, color: 'blue', days: ['sun'] }, { name: 'Ada' }];
    const made = call(ask, {}, { answer: () => ({ values: answers.shift()! }) });
    expect(JSON.parse((await made.result).text).content).toEqual({ name: 'Ada', color: 'green', sure: true });
    expect(made.asked[1]!.question).toContain('name is required');
    for (const place of ['name', 'age', 'color', 'days']) expect(made.asked[2]!.question).toContain(`${place} must`);
  });

  it('is not told anything when it cannot be known which of two calls it asks for', async () => {
    const { ask, servers } = await asking();
    const silent = call(toolOf(servers, 'it__silent'), {}, { agentId: 'somebody-else' });
    const made = call(ask, {}, { answer: () => ({ values: { name: 'Ada' } }) });
    expect(JSON.parse((await made.result).text).response.action).toBe('cancel');
    expect([...made.asked, ...silent.asked]).toEqual([]);
    silent.stop();
  });
});

describe('a server that asks in a way it should not', () => {
  it('asks nobody when no call is under way', async () => {
    const fixture = new McpFixture({});
    const notes = path.join(fixture.folder, 'notes');
    fixture.configure({ it: scripted({ notes }) });
    const servers = await fixture.meet();
    const made = call(toolOf(servers, 'it__ask-later'), {}, { answer: () => ({ values: { name: 'Ada' } }) });
    expect((await made.result).text).toBe('not yet');
    await until(() => existsSync(notes));
    expect(readFileSync(notes, 'utf8')).toBe('later: cancel\n');
    expect(made.asked).toEqual([]);
  });

  it('sends nobody to an address', async () => {
    const servers = await new McpFixture({ it: scripted() }).meet();
    const made = call(toolOf(servers, 'it__ask-by-url'), {}, { answer: () => ({ text: 'done' }) });
    const result = await made.result.catch((error: Error) => ({ isError: true, text: error.message }));
    expect(result.isError).toBe(true);
    expect(made.asked).toEqual([]);
  });
});

describe('a server that wants a model answer', () => {
  it('is refused', async () => {
    const requests: SampleRequest[] = [];
    const servers = await new McpFixture({ it: scripted() }).meet({
      sample: async (request) => refuse(requests, request),
    });
    const result = await call(toolOf(servers, 'it__sample')).result;
    expect(result.isError).toBe(true);
    expect(requests).toEqual([]);
  });

  it('gets one where its configuration allows it, on behalf of the call it works for', async () => {
    const requests: SampleRequest[] = [];
    const servers = await new McpFixture({ it: scripted({}, { sampling: true }) }).meet({
      sample: async (request) => {
        requests.push(request);
        return { model: 'demo', text: 'Knock, knock.' };
      },
    });
    const result = await call(toolOf(servers, 'it__sample'), {}, { agentId: 'wisp' }).result;
    expect(JSON.parse(result.text)).toMatchObject({ model: 'demo', content: { text: 'Knock, knock.' } });
    expect(requests[0]).toMatchObject({
      server: 'it',
      caller: { owner: 'owner', agentId: 'wisp', sessionId: 'session-of-wisp' },
      messages: [{ role: 'user', text: 'A joke?' }],
      maxTokens: 100,
    });
  });
});

function refuse(requests: SampleRequest[], request: SampleRequest): never {
  requests.push(request);
  throw new Error('nobody should ask');
}
