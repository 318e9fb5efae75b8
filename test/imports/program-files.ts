import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Folders in which Claude, Codex and Pi seem to have kept sessions. Records have the shape that the programs write. */
export class ProgramFolders {
  readonly root = mkdtempSync(path.join(tmpdir(), 'parley-programs-'));
  readonly env = {
    CLAUDE_CONFIG_DIR: path.join(this.root, 'claude'),
    CODEX_HOME: path.join(this.root, 'codex'),
    PI_CODING_AGENT_DIR: path.join(this.root, 'pi'),
  };

  claude(id: string, records: readonly object[], torn = ''): string {
    return this.#write(path.join(this.env.CLAUDE_CONFIG_DIR, 'projects', '-work-trip', `${id}.jsonl`), records, torn);
  }

  claudeSubAgent(sessionId: string, name: string, toolUseId: string, records: readonly object[]): void {
    const folder = path.join(this.env.CLAUDE_CONFIG_DIR, 'projects', '-work-trip', sessionId, 'subagents');
    this.#write(path.join(folder, `agent-${name}.jsonl`), records);
    writeFileSync(path.join(folder, `agent-${name}.meta.json`), JSON.stringify({ agentType: 'general', toolUseId }));
  }

  codex(id: string, records: readonly object[], torn = ''): string {
    const folder = path.join(this.env.CODEX_HOME, 'sessions', '2026', '11', '16');
    return this.#write(path.join(folder, `rollout-2026-11-16T10-00-00-${id}.jsonl`), records, torn);
  }

  pi(id: string, records: readonly object[], torn = ''): string {
    const folder = path.join(this.env.PI_CODING_AGENT_DIR, 'sessions', '--work-trip--');
    return this.#write(path.join(folder, `2026-11-16T10-00-00_${id}.jsonl`), records, torn);
  }

  #write(file: string, records: readonly object[], torn = ''): string {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join('') + torn);
    return file;
  }
}

const AT = '2026-11-16T10:00:00.000Z';

/** Records of Claude; each follows the one that was made before it unless told otherwise. */
export class ClaudeFile {
  readonly records: object[] = [];
  #number = 0;
  last: string | null = null;

  add(type: string, fields: object, parent: string | null = this.last): string {
    const uuid = `u${++this.#number}`;
    this.records.push({
      parentUuid: parent,
      isSidechain: false,
      type,
      uuid,
      timestamp: AT,
      cwd: '/projects/trip',
      ...fields,
    });
    this.last = uuid;
    return uuid;
  }

  person(content: string | object[], fields: object = {}, parent: string | null = this.last): string {
    return this.add('user', { message: { role: 'user', content }, promptSource: 'typed', ...fields }, parent);
  }

  /** One record for each block, all with the same usage. */
  answer(id: string, blocks: readonly object[], fields: object = {}): string[] {
    const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 4, cache_creation_input_tokens: 1 };
    return blocks.map((block) => {
      const message = { id, role: 'assistant', model: 'claude-sonnet-4-5', content: [block], usage };
      return this.add('assistant', { message, ...fields });
    });
  }

  result(toolUseId: string, content: unknown, fields: object = {}, parent: string | null = this.last): string {
    const block = { type: 'tool_result', tool_use_id: toolUseId, content };
    return this.add('user', { message: { role: 'user', content: [block] }, ...fields }, parent);
  }

  /** Of the session, outside of the tree. */
  note(type: string, fields: object): void {
    this.records.push({ type, sessionId: 'whole', ...fields });
  }
}

export function codexRecord(type: string, payload: object): object {
  return { timestamp: AT, type, payload };
}

export function codexMeta(id: string, fields: object = {}): object {
  return codexRecord('session_meta', {
    id,
    timestamp: AT,
    cwd: '/projects/trip',
    history_mode: 'paginated',
    ...fields,
  });
}

export function codexItem(item: object): object {
  return codexRecord('event_msg', { type: 'item_completed', thread_id: 't', turn_id: 'n', item });
}

export function codexPerson(text: string): object {
  return codexItem({ type: 'UserMessage', id: `i-${text}`, content: [{ type: 'text', text, text_elements: [] }] });
}

export function codexAgent(text: string): object[] {
  return [
    codexItem({ type: 'AgentMessage', id: `a-${text}`, content: [{ type: 'Text', text }] }),
    codexRecord('response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }),
  ];
}

export function piRecord(id: string, parentId: string | null, fields: object): object {
  return { type: 'message', id, parentId, timestamp: AT, ...fields };
}

export function piPerson(id: string, parentId: string | null, text: string): object {
  return piRecord(id, parentId, { message: { role: 'user', content: [{ type: 'text', text }] } });
}

export function piAnswer(id: string, parentId: string, content: object[], fields: object = {}): object {
  const usage = { input: 10, output: 7, cacheRead: 2, cacheWrite: 1, cost: { total: 0.01 } };
  const message = { role: 'assistant', content, model: 'mock', usage, stopReason: 'stop', ...fields };
  return piRecord(id, parentId, { message });
}
