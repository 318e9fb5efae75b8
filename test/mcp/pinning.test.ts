import { describe, expect, it } from 'vitest';
import type { McpServers } from '../../server/tools/mcp/servers.ts';
import { call, failure, McpFixture, scripted, toolOf, until } from './mcp-fixture.ts';

function stateOf(servers: McpServers, tool: string) {
  return servers.list()[0]!.tools.find(({ name }) => name === tool)?.state;
}

const name = { name: 'Ada' };

describe('what was accepted', () => {
  it('is offered after a restart of Parley without starting anything', async () => {
    const fixture = new McpFixture({ it: scripted() });
    const first = await fixture.meet();
    const offered = first.tools().map((tool) => tool.name);
    expect(offered).toContain('it__hello');
    await first.stop();

    const second = await fixture.open();
    await second.ensureKnown();
    expect(
      second
        .tools()
        .map((tool) => tool.name)
        .sort(),
    ).toEqual(offered.sort());
    expect(second.list()[0]).toMatchObject({ state: 'idle', restarts: 0 });
    expect((await call(toolOf(second, 'it__hello'), name).result).text).toBe('Hello Ada.');
    expect(second.list()[0]).toMatchObject({ state: 'ready' });
  });

  it('is not used any more when a server describes it otherwise at its next start', async () => {
    const fixture = new McpFixture({ it: scripted() });
    await (await fixture.meet()).stop();
    fixture.configure({ it: scripted({ hello: 'Says hello to evil.example.' }) });
    const servers = await fixture.open();

    const hello = toolOf(servers, 'it__hello');
    expect(hello.description).toBe('Says hello.');
    const refused = await failure(call(hello, name).result);
    expect(refused).toMatchObject({
      code: 'definitions_changed',
      message: expect.stringContaining('parley mcp accept it'),
    });
    const [info] = servers.list();
    expect(info!.tools.find((tool) => tool.name === 'it__hello')).toEqual({
      name: 'it__hello',
      state: 'changed',
      description: expect.stringMatching(/^Says hello to evil\.example\.\nInput: {.*"name".*}\nAnnotations: {.*}$/),
      before: expect.stringMatching(/^Says hello\.\nInput: {.*"name".*}/),
    });
    expect((await call(toolOf(servers, 'it__refuse')).result).isError).toBe(true);

    expect(await failure(servers.accept('it', 'something else'))).toMatchObject({ code: 'definitions_changed' });
    expect(stateOf(servers, 'it__hello')).toBe('changed');
    const accepted = await servers.accept('it', info!.definitionsHash!);
    expect(accepted.tools.every((tool) => tool.state === 'accepted')).toBe(true);
    expect(await failure(call(hello, name).result)).toMatchObject({ code: 'definitions_changed' });
    const now = toolOf(servers, 'it__hello');
    expect(now.description).toBe('Says hello to evil.example.');
    expect((await call(now, name).result).text).toBe('Hello Ada.');
  });

  it('is not used any more when a server changes it while it runs', async () => {
    const servers = await new McpFixture({ it: scripted() }).meet();
    const hello = toolOf(servers, 'it__hello');
    expect((await call(hello, name).result).text).toBe('Hello Ada.');
    await call(toolOf(servers, 'it__alter')).result;
    expect(await failure(call(hello, name).result)).toMatchObject({ code: 'definitions_changed' });
    expect(stateOf(servers, 'it__hello')).toBe('changed');
  });

  it('does not cover a tool that is added later', async () => {
    const servers = await new McpFixture({ it: scripted() }).meet();
    await call(toolOf(servers, 'it__grow')).result;
    await until(() => stateOf(servers, 'it__extra') === 'new');
    expect(servers.tools().map((tool) => tool.name)).not.toContain('it__extra');

    const { definitionsHash } = servers.list()[0]!;
    await servers.accept('it', definitionsHash!);
    expect((await call(toolOf(servers, 'it__extra')).result).text).toBe('extra');
  });

  it('is not offered when the server no longer has it', async () => {
    const servers = await new McpFixture({ it: scripted() }).meet();
    const hello = toolOf(servers, 'it__hello');
    await call(toolOf(servers, 'it__shrink')).result;
    await until(() => stateOf(servers, 'it__hello') === 'gone');
    expect(servers.tools().map((tool) => tool.name)).not.toContain('it__hello');
    expect(await failure(call(hello, name).result)).toMatchObject({ code: 'tool_gone' });
  });

  it('can be nothing: what a server adds after it was seen without tools is new', async () => {
    const fixture = new McpFixture({ it: scripted({ isEmpty: true }) });
    await (await fixture.meet()).stop();
    fixture.configure({ it: scripted() });
    const servers = await fixture.meet();
    expect(servers.list()[0]).toMatchObject({ state: 'idle' });
    await servers.restart('it');
    expect(stateOf(servers, 'it__hello')).toBe('new');
    expect(servers.tools()).toEqual([]);
  });

  it('is asked about by name: an unknown server is refused', async () => {
    const servers = await new McpFixture({}).open();
    expect(await failure(servers.accept('nobody', 'x'))).toMatchObject({ code: 'mcp_server_not_found' });
    expect(await failure(servers.restart('nobody'))).toMatchObject({ code: 'mcp_server_not_found' });
  });
});

describe('the names of tools', () => {
  it('are ones that every model takes, never look built in, and never stand for another tool', async () => {
    const also = ['system_wipe', 'odd name/ü', 'odd_name__', `x${'y'.repeat(80)}`, 'a.b', 'a_b', 'a/b'];
    const fixture = new McpFixture({ it: scripted({ also }), system: scripted() });
    const servers = await fixture.meet();
    const names = servers.tools().map((tool) => tool.name);
    expect(names.filter((each) => !/^[A-Za-z0-9_-]{1,64}$/.test(each))).toEqual([]);
    expect(names.filter((each) => each.startsWith('system_'))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['it__system_wipe', 'it__a_b', 'mcp_system__hello']));
    const odd = names.find((each) => each.startsWith('it__odd_name___'))!;
    expect((await call(toolOf(servers, odd)).result).text).toBe('This is odd name/ü.');
  });
});
