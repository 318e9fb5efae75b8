import { AgentDefinition } from '../../contract/agents.ts';
import type { ConfigFile } from '../../contract/config.ts';
import { AgentId } from '../../contract/names.ts';
import type { ConfigPath } from '../validation.ts';
import { checkOnce } from '../validation.ts';
import type { Entry } from './entries.ts';
import { agentIdOf, MAIN_FILE, type SourceFile } from './home-files.ts';
import { isObject, type JsonObject, unsafeKeys } from './json.ts';

/** The definitions of a `parley.json` that has been validated. */
export function entriesOfMain(file: ConfigFile, json: unknown): Entry[] {
  const raw = json as { agents?: JsonObject[]; templates?: JsonObject[] };
  const agents = file.agents.map(({ agentId, ...fields }, index): Entry => {
    const place = { path: ['agents', index] };
    return { kind: 'agent', id: agentId, source: MAIN_FILE, place, raw: raw.agents![index]!, fields };
  });
  const templates = file.templates.map(({ templateId, ...fields }, index): Entry => {
    const place = { path: ['templates', index] };
    return { kind: 'template', id: templateId, source: MAIN_FILE, place, raw: raw.templates![index]!, fields };
  });
  return [...agents, ...templates];
}

/** The definition in a file of its own. An `agentId` in it wins; without one, the path is the id. */
export function entryOfFile(file: SourceFile): { entry?: Entry; issues: string[] } {
  const place: ConfigPath = { file: file.source, path: [] };
  const unsafe = unsafeKeys(file.json, place);
  if (unsafe.length > 0) return { issues: unsafe };
  const named = isObject(file.json) && file.json.agentId !== undefined;
  const fromPath = agentIdOf(file.source);
  if (!named && !AgentId.safeParse(fromPath).success) return { issues: [unnamed(file.source)] };
  const input = isObject(file.json) ? { agentId: fromPath, ...file.json } : file.json;
  const { value, issues } = checkOnce(AgentDefinition, input, place);
  if (!value) return { issues };
  const { agentId, ...fields } = value;
  return {
    entry: { kind: 'agent', id: agentId, source: file.source, place, raw: file.json as JsonObject, fields },
    issues,
  };
}

function unnamed(source: string): string {
  return `${source}: agentId is required, because the path contains characters that are not allowed in an id`;
}
