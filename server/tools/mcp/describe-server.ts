import type { McpServer } from '../../../contract/config.ts';
import type { McpServerInfo } from '../../../contract/tools.ts';
import { markUnseenCharacters } from '../../../contract/unseen-characters.ts';
import type { Offer } from './accepted.ts';
import { type Definition, hashOffer } from './definition.ts';
import { describeTool } from './mcp-tool.ts';
import { plainText } from './plain-text.ts';
import { qualifiedName } from './tool-name.ts';

export interface ServerFacts extends Pick<McpServerInfo, 'name' | 'state' | 'error' | 'restarts'> {
  readonly settings: McpServer;
  readonly accepted: Offer | undefined;
  readonly offer: Offer | undefined;
  readonly checkedAt: number | null;
}

type ToolInfo = McpServerInfo['tools'][number];

/** A server as it is shown to people. Variables are named, not filled in. */
export function describeServer(facts: ServerFacts): McpServerInfo {
  const { name, settings, state, error, restarts, offer, checkedAt } = facts;
  return {
    name,
    transport: settings.url === undefined ? 'stdio' : 'http',
    target: settings.url === undefined ? [settings.command, ...settings.args].join(' ') : shownUrl(settings.url),
    state,
    error,
    restarts,
    tools: describeTools(facts),
    definitionsHash: offer ? hashOffer(offer.values()) : null,
    checkedAt: checkedAt === null ? null : new Date(checkedAt).toISOString(),
  };
}

/** Without what is likely to be a secret. */
function shownUrl(url: string): string {
  const { protocol, host, pathname, search } = new URL(url);
  return `${protocol}//${host}${pathname}${search && '?…'}`;
}

function describeTools({ name, accepted, offer }: ServerFacts): ToolInfo[] {
  const tools = new Set([...(accepted?.keys() ?? []), ...(offer?.keys() ?? [])]);
  return [...tools].sort().map((tool) => ({ name: qualifiedName(name, tool), ...compare(tool, accepted, offer) }));
}

function compare(tool: string, accepted: Offer | undefined, offer: Offer | undefined): Omit<ToolInfo, 'name'> {
  const [before, now] = [accepted?.get(tool), offer?.get(tool)];
  if (!before) return { state: 'new', description: describeWhole(now!.definition), before: null };
  const description = describeTool((now ?? before).definition);
  if (!offer || now?.hash === before.hash) return { state: 'accepted', description, before: null };
  if (!now) return { state: 'gone', description, before: null };
  return { state: 'changed', description: describeWhole(now.definition), before: describeWhole(before.definition) };
}

const MOST_CHARACTERS = 100_000;

/** Everything that a model reads, or that counts: what a person accepts has been shown to them. */
function describeWhole(definition: Definition): string {
  const { name, title, description, inputSchema, annotations } = definition;
  const more = [`Input: ${JSON.stringify(inputSchema)}`, annotations && `Annotations: ${JSON.stringify(annotations)}`];
  const whole = [description?.trim() || title || name, ...more.filter(Boolean)].join('\n');
  // Models do not get what cannot be seen; the person is shown that the server tried.
  return plainText(markUnseenCharacters(whole.slice(0, MOST_CHARACTERS)), MOST_CHARACTERS);
}
