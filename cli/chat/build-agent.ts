import { writeFile } from 'node:fs/promises';
import { draftCallsIn, draftIn, readDraft, readTeamDraft } from '../../client/agent-draft.ts';
import { ensureBuilder } from '../../client/begin-building.ts';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { AgentDefinition } from '../../contract/agents.ts';
import { BUILDER } from '../../contract/builder.ts';
import type { Session } from '../../contract/sessions.ts';
import type { TeamFile } from '../../contract/teams.ts';
import { CREATES_FOLDER, type HomeOption, withClient } from '../connect.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { requireSession } from '../find-session.ts';
import { look, note } from '../output.ts';
import { readAll } from '../read-all.ts';
import { safeLine, safeText } from '../terminal-text.ts';

export interface BuildOptions extends HomeOption {
  session?: string;
  out?: string;
  wait?: boolean;
}

/** Talks with the builder of agents: once, when something is said or piped in; else until the person leaves. */
export async function buildAgent(words: string, options: BuildOptions): Promise<void> {
  const stays = words === '' && process.stdin.isTTY === true && process.stdout.isTTY === true;
  const content = stays || words !== '' ? words : (await readAll(process.stdin)).trim();
  if (!stays && content === '')
    throw new CommandFailure('Describe what the agent should do, or pipe it in.', EXIT_USAGE);
  await withClient(
    options,
    async (connection) => {
      const { client } = connection;
      await ensureBuilder(client);
      const session = await openConversation(client, options.session);
      const question = { ...options, agent: BUILDER.agentId, session: session.title, busy: 'queue' as const };
      if (stays) {
        const { converse } = await import('./converse.ts');
        await converse(connection, question, { sessionId: session.id, draft: '' });
      } else {
        const { askIn } = await import('./ask-once.ts');
        await askIn(connection, session, question, content);
      }
      await leave(client, session, options);
    },
    CREATES_FOLDER,
  );
}

function openConversation(client: ParleyClient, name: string | undefined): Promise<Session> {
  return name === undefined
    ? client.call('createSession', { body: { agentId: BUILDER.agentId } })
    : requireSession(client, name);
}

/** The draft as it stands, and what there is to go on with. */
async function leave(client: ParleyClient, { id }: Session, { out }: BuildOptions): Promise<void> {
  const draft = await lastDraft(client, id);
  if (out !== undefined) return write(out, draft);
  if (!draft || (await isMade(client, draft))) return;
  note(look().dim(`\n${safeText(JSON.stringify(draft, null, 2))}`));
  note(`Change it or create it: parley agents build -s ${id} "create it"`);
}

type Draft = AgentDefinition | TeamFile;

async function isMade(client: ParleyClient, draft: Draft): Promise<boolean> {
  const { agents } = await client.call('listAgents', { query: { hidden: true } });
  const first = 'format' in draft ? draft.team.agents[0]?.agentId : draft.agentId;
  return agents.some(({ agentId }) => agentId === first);
}

async function write(file: string, draft: Draft | null): Promise<void> {
  if (!draft) throw new CommandFailure('There is no draft yet.');
  await writeFile(file, `${JSON.stringify(draft, null, 2)}\n`);
  const command = 'format' in draft ? 'teams import' : 'agents create -f';
  note(`\nDraft written to ${safeLine(file)}. Create it with: parley ${command} ${safeLine(file)}`);
}

async function lastDraft(client: ParleyClient, sessionId: string): Promise<Draft | null> {
  const { messages } = await client.call('listMessages', { sessionId });
  const team = readTeamDraft(messages.flatMap(draftCallsIn));
  if (team) return { format: 'parley.team', version: 1, team: { ...team, agents: [...team.agents] } };
  const call = messages.map(draftIn).findLast((found) => found !== null);
  return call ? readDraft(call) : null;
}
