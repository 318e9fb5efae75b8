import { useParams } from '@tanstack/react-router';
import type { SessionTemplate } from '../../contract/templates.ts';
import type { TextKey } from '../i18n/en.ts';
import { useText } from '../i18n/text.ts';
import { type Command, SHORTCUTS, spell } from '../keys/shortcuts.ts';
import { useAgents } from '../live/use-agents.ts';
import { useLive } from '../live/use-live.ts';
import { canAnswer } from '../templates/can-answer.ts';
import { useTemplates } from '../templates/use-templates.ts';

/** Something that can be chosen. */
export type Entry = { readonly id: string; readonly label: string; readonly detail: string } & (
  | { readonly kind: 'session'; readonly sessionId: string; readonly messageId?: string }
  | { readonly kind: 'agent'; readonly agentId: string }
  | { readonly kind: 'template'; readonly template: SessionTemplate }
  | { readonly kind: 'templates' }
  | { readonly kind: 'command'; readonly command: Command }
);

export interface EntryGroup {
  readonly heading: TextKey;
  readonly entries: readonly Entry[];
}

const MOST_SESSIONS = 200;
const IN_SESSION: readonly Command[] = ['share', 'find'];

export function usePaletteEntries(): readonly EntryGroup[] {
  return [
    { heading: 'palette.sessions', entries: useSessionEntries() },
    { heading: 'palette.agents', entries: useAgentEntries() },
    { heading: 'palette.templates', entries: useTemplateEntries() },
    { heading: 'palette.commands', entries: useCommandEntries() },
  ];
}

function useSessionEntries(): Entry[] {
  const sessions = useLive((state) => state.sessions);
  return [...sessions.values()]
    .filter(({ archivedAt }) => archivedAt === null)
    .sort((a, b) => (a.lastActivityAt < b.lastActivityAt ? 1 : -1))
    .slice(0, MOST_SESSIONS)
    .map(({ id, title, agentId }) => ({
      kind: 'session',
      id: `session ${id}`,
      label: title,
      detail: agentId ?? '',
      sessionId: id,
    }));
}

function useAgentEntries(): Entry[] {
  const text = useText();
  return useAgents()
    .filter(({ uiVisible }) => uiVisible)
    .map(({ agentId, displayName }) => ({
      kind: 'agent',
      id: `agent ${agentId}`,
      label: text('palette.newWith', { name: displayName }),
      detail: agentId,
      agentId,
    }));
}

function useTemplateEntries(): Entry[] {
  const text = useText();
  const agents = useAgents();
  const able = useTemplates().filter((template) => canAnswer(template, agents));
  return [
    ...able.map((template) => ({
      kind: 'template' as const,
      id: `template ${template.id}`,
      label: text('templates.beginFrom', { name: template.name }),
      detail: template.agentId ?? '',
      template,
    })),
    { kind: 'templates', id: 'templates', label: text('templates.manage'), detail: '' },
  ];
}

function useCommandEntries(): Entry[] {
  const text = useText();
  const { sessionId } = useParams({ strict: false });
  const isOffered = (command: Command) =>
    command !== 'palette' && (!IN_SESSION.includes(command) || sessionId !== undefined);
  return SHORTCUTS.filter(({ command }) => isOffered(command)).map(({ command, keys, label }) => ({
    kind: 'command',
    id: `command ${command}`,
    label: text(label),
    detail: spell(keys),
    command,
  }));
}
