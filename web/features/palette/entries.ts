import { useParams } from '@tanstack/react-router';
import type { Agent } from '../../../contract/agents.ts';
import type { ArtifactSummary } from '../../../contract/artifacts.ts';
import type { PanelType } from '../../../contract/panels.ts';
import type { Session } from '../../../contract/sessions.ts';
import type { Team } from '../../../contract/teams.ts';
import type { SessionTemplate } from '../../../contract/templates.ts';
import { useArtifacts } from '../../artifacts/use-artifacts.ts';
import type { PageTextKey } from '../../i18n/en.ts';
import { useText } from '../../i18n/page-words.ts';
import { useText as usePanelText } from '../../i18n/panel-words.ts';
import { sessionTitle } from '../../i18n/text.ts';
import { useAgentNames, useAgents } from '../../live/use-agents.ts';
import { useLive } from '../../live/use-live.ts';
import type { Range } from '../../markdown/plain-snippet.tsx';
import { canAnswer } from '../../state/choose-agent.ts';
import { useInNeed } from '../../state/needs-you.ts';
import { type Command, SHORTCUTS, spell } from '../../state/shortcuts.ts';
import { useTeams } from '../../state/teams.ts';
import { useTemplates } from '../../state/templates.ts';
import { ranked } from './rank.ts';
import { type SessionVerb, useSessionVerbs } from './session-verbs.ts';

interface Named {
  readonly id: string;
  readonly label: string;
  /** Shown at the end of the line. */
  readonly detail: string;
  readonly aliases?: readonly string[];
  readonly keywords: readonly string[];
  readonly about?: string;
}

/** Something that can be chosen. */
export type Entry = Named &
  (
    | { readonly kind: 'session'; readonly session: Session }
    /** Its label is part of the message, as Markdown. */
    | {
        readonly kind: 'message';
        readonly sessionId: string;
        readonly messageId: string;
        readonly matches: readonly Range[];
      }
    | { readonly kind: 'agent'; readonly agent: Agent }
    | { readonly kind: 'template'; readonly template: SessionTemplate }
    | { readonly kind: 'team'; readonly team: Team }
    | { readonly kind: 'templates' | 'import' }
    | { readonly kind: 'command'; readonly command: Command }
    | { readonly kind: 'verb'; readonly verb: SessionVerb }
    | { readonly kind: 'artifact'; readonly artifact: ArtifactSummary }
    | { readonly kind: 'panel'; readonly panelType: PanelType }
  );

export interface EntryGroup {
  readonly heading: PageTextKey;
  readonly entries: readonly Entry[];
}

const MOST_SESSIONS = 200;
const RECENT = 7;
const SHOWN = 30;
const IN_SESSION: readonly Command[] = ['share', 'find', 'panels'];

/** Without a query: what needs the person, then where they were. With one: the best fit first, whatever it is. */
export function usePaletteEntries(query: string): readonly EntryGroup[] {
  const sessions = useSessionEntries();
  const waiting = useInNeed().map(({ id }) => `session ${id}`);
  const verbs = [...useSessionVerbs(), ...usePanelEntries()];
  const others: readonly EntryGroup[] = [
    { heading: 'palette.commands', entries: useCommandEntries() },
    { heading: 'palette.agents', entries: useAgentEntries() },
    { heading: 'teams.title', entries: useTeamEntries() },
    { heading: 'palette.templates', entries: useTemplateEntries() },
    { heading: 'nav.artifacts', entries: useArtifactEntries() },
  ];
  if (query.trim() !== '') {
    const commands = { heading: 'palette.commands', entries: [...verbs, ...others[0]!.entries] } as const;
    const all = [commands, { heading: 'palette.sessions', entries: sessions } as const, ...others.slice(1)];
    return ranked<Entry, EntryGroup>(query, all).map(shortened);
  }
  const byId = new Map(sessions.map((entry) => [entry.id, entry]));
  const needs = waiting.map((id) => byId.get(id)).filter((entry) => entry !== undefined);
  const isRecent = ({ id, session }: { id: string; session: Session }) =>
    session.delegatedFrom === null && !waiting.includes(id);
  const recent = sessions.filter(isRecent).slice(0, RECENT);
  const withoutArtifacts = others.filter(({ heading }) => heading !== 'nav.artifacts');
  const first: readonly EntryGroup[] = [
    { heading: 'dashboard.needsYou', entries: needs },
    { heading: 'palette.sessions', entries: recent },
    { heading: 'palette.thisSession', entries: verbs },
  ];
  return [...first, ...withoutArtifacts].filter(({ entries }) => entries.length > 0);
}

function shortened({ heading, entries }: EntryGroup): EntryGroup {
  return { heading, entries: entries.slice(0, SHOWN) };
}

/** Newest first, each with the name of the agent that answers there. */
function useSessionEntries() {
  const sessions = useLive((state) => state.sessions);
  const nameOf = useAgentNames();
  return [...sessions.values()]
    .filter(({ archivedAt }) => archivedAt === null)
    .sort((a, b) => (a.lastActivityAt < b.lastActivityAt ? 1 : -1))
    .slice(0, MOST_SESSIONS)
    .map((session) => {
      const { id, title, agentId } = session;
      const detail = agentId === null ? '' : nameOf(agentId);
      return {
        kind: 'session' as const,
        id: `session ${id}`,
        label: sessionTitle(title),
        detail,
        keywords: [detail],
        session,
      };
    });
}

/** Found once something is typed: there can be thousands. */
function useArtifactEntries(): Entry[] {
  const text = useText();
  const { data = [] } = useArtifacts();
  return data.map((artifact) => ({
    kind: 'artifact',
    id: `artifact ${artifact.id}`,
    label: artifact.name,
    detail: text(`panel.kind.${artifact.kind}`),
    keywords: artifact.tags,
    artifact,
  }));
}

/** What can be opened beside the session, whatever its agent is. */
const PANELS = ['list', 'note', 'view', 'file', 'changes'] as const;

function usePanelEntries(): Entry[] {
  const text = usePanelText();
  const { sessionId } = useParams({ strict: false });
  if (sessionId === undefined) return [];
  return PANELS.map((panelType) => ({
    kind: 'panel',
    id: `panel ${panelType}`,
    label: text('palette.openPanel', { name: text(`panel.kind.${panelType}`) }),
    detail: '',
    keywords: [text('palette.keywords.panel')],
    panelType,
  }));
}

function useAgentEntries(): Entry[] {
  const text = useText();
  return useAgents()
    .filter(({ uiVisible }) => uiVisible)
    .map((agent) => ({
      kind: 'agent',
      id: `agent ${agent.agentId}`,
      label: text('palette.newWith', { name: agent.displayName }),
      about: agent.displayName,
      aliases: [agent.displayName],
      detail: '',
      keywords: [agent.displayName, agent.agentId],
      agent,
    }));
}

function useTeamEntries(): Entry[] {
  const text = useText();
  const agents = useAgents();
  const nameOf = useAgentNames();
  const isAble = ({ agents: [leader] }: Team) =>
    agents.some(({ agentId, available }) => agentId === leader && available);
  return [
    ...useTeams()
      .filter(isAble)
      .map((team) => ({
        kind: 'team' as const,
        id: `team ${team.id}`,
        label: text('teams.beginWith', { name: team.name }),
        detail: nameOf(team.agents[0]!),
        keywords: [team.name, ...team.agents.map(nameOf)],
        team,
      })),
  ];
}

function useTemplateEntries(): Entry[] {
  const text = useText();
  const agents = useAgents();
  const able = useTemplates().filter((template) => canAnswer(template, agents));
  const nameOf = useAgentNames();
  return [
    ...able.map((template) => ({
      kind: 'template' as const,
      id: `template ${template.id}`,
      label: text('templates.beginFrom', { name: template.name }),
      detail: template.agentId === null ? '' : nameOf(template.agentId),
      keywords: [template.name],
      template,
    })),
    { kind: 'templates', id: 'templates', label: text('templates.manage'), detail: '', keywords: [] },
    { kind: 'import', id: 'import', label: text('imports.menu'), detail: '', keywords: ['Claude', 'Codex', 'Pi'] },
  ];
}

/** Other words for a command. */
const KEYWORDS: Readonly<Partial<Record<Command, PageTextKey>>> = {
  help: 'palette.keywords.help',
  theme: 'palette.keywords.theme',
};

function useCommandEntries(): Entry[] {
  const text = useText();
  const { sessionId } = useParams({ strict: false });
  const isOffered = (command: Command) =>
    command !== 'palette' && (!IN_SESSION.includes(command) || sessionId !== undefined);
  return SHORTCUTS.filter(({ command }) => isOffered(command)).map(({ command, keys, label }) => ({
    kind: 'command',
    id: `command ${command}`,
    label: text(`palette.command.${command as Exclude<Command, 'palette'>}`),
    aliases: [text(label)],
    detail: spell(keys),
    keywords: keywordsOf(command, text),
    command,
  }));
}

function keywordsOf(command: Command, text: ReturnType<typeof useText>): string[] {
  const key = KEYWORDS[command];
  return key ? text(key).split(' ') : [];
}
