import {
  Archive,
  ArchiveRestore,
  CalendarClock,
  Eraser,
  FileJson,
  FileText,
  FolderCog,
  FolderInput,
  GitFork,
  Import,
  Keyboard,
  LayoutDashboard,
  LayoutTemplate,
  Library,
  type LucideIcon,
  MessageSquare,
  MessageSquarePlus,
  MoveDown,
  MoveUp,
  NotebookText,
  PanelLeft,
  PanelRight,
  PanelsTopLeft,
  Pencil,
  Pin,
  PinOff,
  Search,
  Settings,
  Share2,
  Shrink,
  SunMoon,
  TextCursorInput,
  TextSearch,
  Trash2,
  TriangleAlert,
  Users,
  Webhook,
} from 'lucide-react';
import { ArtifactIcon } from '../../artifacts/icons.tsx';
import type { Command } from '../../state/shortcuts.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import type { Entry } from './entries.ts';
import type { SessionVerb } from './session-verbs.ts';

const COMMANDS: Readonly<Record<Command, LucideIcon>> = {
  palette: Search,
  help: Keyboard,
  newSession: MessageSquarePlus,
  previousSession: MoveUp,
  nextSession: MoveDown,
  nextAction: TriangleAlert,
  dashboard: LayoutDashboard,
  search: Search,
  schedules: CalendarClock,
  knowledge: Library,
  teams: Users,
  webhooks: Webhook,
  artifacts: NotebookText,
  settings: Settings,
  sessionsPane: PanelLeft,
  detailsPane: PanelRight,
  composer: TextCursorInput,
  find: TextSearch,
  panels: PanelsTopLeft,
  share: Share2,
  theme: SunMoon,
};

const VERBS: Readonly<Record<SessionVerb, LucideIcon>> = {
  rename: Pencil,
  pin: Pin,
  unpin: PinOff,
  move: FolderInput,
  workspace: FolderCog,
  fork: GitFork,
  exportMarkdown: FileText,
  exportJson: FileJson,
  saveTemplate: LayoutTemplate,
  saveTeam: Users,
  compact: Shrink,
  clear: Eraser,
  archive: Archive,
  restore: ArchiveRestore,
  delete: Trash2,
};

/** What kind of thing it is at a glance; of a session, how it is with it. */
export function EntryIcon({ entry }: { entry: Entry }) {
  switch (entry.kind) {
    case 'session':
      return <StatusDot status={entry.session.status} />;
    case 'agent':
      return <AgentTile agentId={entry.agent.agentId} agent={entry.agent} size={18} />;
    case 'command':
      return <Icon of={COMMANDS[entry.command]} />;
    case 'artifact':
      return <ArtifactIcon kind={entry.artifact.kind} />;
    case 'panel':
      return <Icon of={PanelsTopLeft} />;
    case 'verb':
      return <Icon of={VERBS[entry.verb]} />;
    case 'message':
      return <Icon of={MessageSquare} />;
    case 'template':
    case 'templates':
      return <Icon of={LayoutTemplate} />;
    case 'team':
      return <Icon of={Users} />;
    case 'import':
      return <Icon of={Import} />;
    default:
      return entry satisfies never;
  }
}

function Icon({ of: Drawn }: { of: LucideIcon }) {
  return <Drawn size={15} aria-hidden="true" />;
}
