import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { call, failure, McpFixture, reference, toolOf, until } from './mcp-fixture.ts';

describe('the reference servers, over pipes', () => {
  it('everything: is started only when it is met, and its tools do what they say', async () => {
    const fixture = new McpFixture({ everything: reference.everything('stdio') });
    const servers = await fixture.open();
    expect(servers.list()[0]).toMatchObject({ state: 'idle', tools: [], definitionsHash: null, checkedAt: null });
    expect(servers.tools()).toEqual([]);

    await servers.ensureKnown();
    expect(servers.list()[0]).toMatchObject({ name: 'everything', transport: 'stdio', state: 'ready', error: null });
    const echo = toolOf(servers, 'everything__echo');
    expect(echo).toMatchObject({
      capabilities: ['mcp.everything'],
      source: { kind: 'mcp', id: 'everything' },
      risk: 'execute',
    });
    expect(await call(echo, { message: 'hi' }).result).toEqual({ text: 'Echo: hi', isError: false });
    expect(servers.tools()).toBe(servers.tools());

    const sum = await call(toolOf(servers, 'everything__get-sum'), { a: 2, b: 3 }).result;
    expect(sum.text).toContain('5');
    const image = await call(toolOf(servers, 'everything__get-tiny-image')).result;
    expect(image.text).toMatch(/\[image, image\/png, \d+ bytes\]/);
    const structured = await call(toolOf(servers, 'everything__get-structured-content'), { location: 'Chicago' })
      .result;
    expect(structured.text).toContain('temperature');
    const research = await call(toolOf(servers, 'everything__simulate-research-query'), { topic: 'x' }).result;
    expect(research.isError).toBe(true);
  });

  it('everything: shows progress, and stops when the turn is stopped', async () => {
    const servers = await new McpFixture({ everything: reference.everything('stdio') }).meet();
    const long = toolOf(servers, 'everything__trigger-long-running-operation');
    const short = call(long, { duration: 1, steps: 4 });
    expect((await short.result).text).toContain('completed');
    expect(short.shown.length).toBeGreaterThan(1);
    expect(short.shown.every(({ fraction }) => fraction! > 0 && fraction! <= 1)).toBe(true);

    const stopped = call(long, { duration: 600, steps: 2400 });
    await until(() => stopped.shown.length > 0);
    const reason = new Error('the turn was stopped');
    stopped.stop(reason);
    expect(await failure(stopped.result)).toBe(reason);
  });

  it('everything: asks a person, and no model', async () => {
    const servers = await new McpFixture({ everything: reference.everything('stdio') }).meet();
    expect(servers.tools().map(({ name }) => name)).not.toContain('everything__trigger-sampling-request');
    const ask = toolOf(servers, 'everything__trigger-elicitation-request');
    const made = call(ask, {}, { answer: () => ({ values: { name: 'Ada' } }) });
    expect((await made.result).text).toContain('Ada');
    expect(made.asked[0]!.question).toContain('The MCP server everything asks:');
    const declined = await call(ask, {}, { answer: () => null }).result;
    expect(declined.text).toContain('declined');
  });

  it('filesystem: reads and writes where it may, and nowhere else', async () => {
    const fixture = new McpFixture({});
    fixture.configure({ files: reference.filesystem(fixture.folder) });
    writeFileSync(path.join(fixture.folder, 'a.txt'), 'what is in it');
    const servers = await fixture.meet();
    const read = toolOf(servers, 'files__read_text_file');
    expect((await call(read, { path: path.join(fixture.folder, 'a.txt') }).result).text).toBe('what is in it');
    const outside = await call(read, { path: '/etc/passwd' }).result;
    expect(outside).toMatchObject({ isError: true, text: expect.stringContaining('denied') });
  });

  it('memory: keeps what it is told', async () => {
    const fixture = new McpFixture({});
    const env = { MEMORY_FILE_PATH: path.join(fixture.folder, 'memory.jsonl') };
    fixture.configure({ memory: { ...reference.memory(), env } });
    const servers = await fixture.meet();
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['counts'] }];
    await call(toolOf(servers, 'memory__create_entities'), { entities }).result;
    const graph = await call(toolOf(servers, 'memory__read_graph')).result;
    expect(graph.text).toContain('Ada');
  });
});
