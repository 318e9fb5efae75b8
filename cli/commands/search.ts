import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { ArtifactHit } from '../../contract/artifacts.ts';
import type { SearchHit } from '../../contract/sessions.ts';
import { ago } from '../ago.ts';
import { withClient } from '../connect.ts';
import { look, print, printJson } from '../output.ts';
import { Speakers } from '../speakers.ts';
import { safeLine } from '../terminal-text.ts';

interface SearchOptions {
  limit: string;
  json?: boolean;
  home?: string;
}

export function define(command: Command): void {
  command
    .description('Search messages in all sessions, lists, notes and views, newest first.')
    .argument('<words...>', 'words to search for; narrow down with agent: from: session: before: after:')
    .option('-n, --limit <number>', 'maximum number of results', '20')
    .option('--json', 'as JSON')
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(search);
}

async function search(words: string[], options: SearchOptions): Promise<void> {
  await withClient(options, async ({ client }) => {
    const q = words.join(' ');
    const found = await client.call('search', { query: { q, limit: Number(options.limit) } });
    const artifacts = await searchArtifacts(client, q, Number(options.limit));
    if (options.json) return printJson({ ...found, artifacts });
    const speakers = new Speakers();
    await speakers.learn(client);
    if (found.hits.length + artifacts.length === 0) return print(`No messages match ${safeLine(q)}.`);
    for (const hit of found.hits) printHit(hit, speakers);
    for (const hit of artifacts) printArtifact(hit);
    if (found.next) print(look().dim(`More results: use -n ${Number(options.limit) * 2}.`));
  });
}

/** What narrows down messages means nothing for them. */
const FILTER = /(^|\s)-\S|\b(agent|from|session|before|after):/i;

async function searchArtifacts(client: ParleyClient, q: string, limit: number): Promise<ArtifactHit[]> {
  if (FILTER.test(q)) return [];
  return (await client.call('searchArtifacts', { query: { q, limit: Math.min(limit, 100) } })).hits;
}

function printArtifact({ artifact, itemId, title, snippet, matches }: ArtifactHit): void {
  const place =
    itemId === null
      ? `${safeLine(title)} (${artifact.kind})`
      : `${safeLine(title)} (in the list ${safeLine(artifact.name)})`;
  print(look().dim(`${place} · ${ago(artifact.updatedAt)} · ${itemId ?? artifact.id}`));
  print(`  ${highlight({ snippet, matches })}`);
}

function printHit(hit: SearchHit, speakers: Speakers): void {
  print(look().dim(`${safeLine(hit.sessionTitle)} · ${ago(hit.createdAt)} · ${hit.sessionId}`));
  print(`  ${speakers.of(hit.speaker)}: ${highlight(hit)}`);
}

/** Bold where the words are. Escaped piece by piece, because escaping moves the places. */
function highlight({ snippet, matches }: Pick<SearchHit, 'snippet' | 'matches'>): string {
  let shown = '';
  let from = 0;
  for (const { start, end } of matches) {
    shown += oneLine(snippet.slice(from, start)) + look().bold(oneLine(snippet.slice(start, end)));
    from = end;
  }
  return shown + oneLine(snippet.slice(from));
}

/** Keeps the spaces at its ends, unlike a whole line. */
function oneLine(piece: string): string {
  return piece === '' ? '' : safeLine(`|${piece}|`).slice(1, -1);
}

const EXAMPLES = `
Examples:
  $ parley search dentist
  $ parley search agent:wisp/scheduler afternoon
  $ parley search from:user after:2026-11-01 budget`;
