import { useNavigate } from '@tanstack/react-router';
import { beginFromTemplate } from '../../state/begin-from-template.ts';
import { newSession } from '../../state/new-session.ts';
import { useSessionDeps } from '../../state/session-deps.ts';
import type { Command } from '../../state/shortcuts.ts';
import { showTemplates } from '../../state/shown-templates.ts';
import type { Entry } from './entries.ts';
import { runVerb } from './session-verbs.ts';

/** Does what was chosen in the palette. */
export function useRunEntry(runCommand: (command: Command) => void): (entry: Entry) => void {
  const navigate = useNavigate();
  const deps = useSessionDeps();
  const { live } = deps;
  const show = (sessionId: string, message?: string) =>
    void navigate({ to: '/sessions/$sessionId', params: { sessionId }, search: message ? { message } : {} });
  return (entry) => {
    switch (entry.kind) {
      case 'command':
        return runCommand(entry.command);
      case 'verb': {
        const current = deps.current();
        return current === null || entry.verb === 'rename' ? undefined : runVerb(entry.verb, deps, current);
      }
      case 'agent':
        return void newSession(live, navigate, entry.agent.agentId);
      case 'template':
        return void beginFromTemplate(live, navigate, entry.template);
      case 'templates':
        return showTemplates();
      case 'session':
        return show(entry.session.id);
      case 'message':
        return show(entry.sessionId, entry.messageId);
      default:
        return entry satisfies never;
    }
  };
}
