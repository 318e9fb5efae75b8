import { type ComponentType, createContext, type ReactNode, useContext, useMemo } from 'react';
import type { SessionState } from '../../client/session-state.ts';
import type { Action } from '../../contract/actions.ts';
import type { AgentDefinition } from '../../contract/agents.ts';
import type { Session } from '../../contract/sessions.ts';
import type { Live } from '../live/live.ts';
import type { Failure } from './failure-cause.ts';
import type { Navigate } from './new-session.ts';
import type { Panel } from './panels.ts';
import type { SessionDeps } from './session-deps.ts';

/**
 * What one feature shows inside another. Features do not import each other: `app/slots.ts` fills in what every page needs,
 * `pages/session/slots.ts` what only a conversation does, so that it is loaded with that page.
 */
export interface Slots {
  readonly ActionCard: ComponentType<ActionCardProps>;
  readonly FailureBody: ComponentType<FailureBodyProps>;
  readonly TemplateItems: ComponentType<TemplateItemsProps>;
  readonly TeamItems: ComponentType<TemplateItemsProps>;
  readonly Composer: ComponentType<OfSession>;
  readonly Rail: ComponentType<OfSession>;
  /** A conversation with the panels that are open beside it. */
  readonly Beside: ComponentType<BesideProps>;
  readonly OpenPanelMenu: ComponentType<OfSession>;
  /** A dialog with the request that a turn sent to its model. */
  readonly ModelInput: ComponentType<OfSession>;
  readonly SessionMenuItems: ComponentType<SessionMenuItemsProps>;
  readonly AgentDraftEditor: ComponentType<AgentDraftEditorProps>;
  /** A small conversation that leaves nothing behind. */
  readonly ScratchChat: ComponentType<ScratchChatProps>;
  readonly panels: readonly Panel[];
}

export interface OfSession {
  sessionId: string;
}

export interface BesideProps {
  state: SessionState;
  children: ReactNode;
}

export interface ActionCardProps {
  action: Action;
  /** It is asked in another session, on behalf of a turn in the one that is shown. */
  isElsewhere?: boolean;
  /** Of its heading: cards in a conversation stand right below the title of the page. */
  level?: 2 | 3;
}

export interface FailureBodyProps {
  failure: Failure;
  agentId: string;
  sessionId: string;
  /** Absent where trying again is no use. */
  onRetry?: (() => void) | undefined;
  onDismiss?: () => void;
}

export interface TemplateItemsProps {
  live: Live;
  navigate: Navigate;
}

/** For what takes the keyboard: it has to wait until the menu has let go of it. */
export type Later = (open: () => void) => void;

export interface SessionMenuItemsProps {
  id: string;
  deps: SessionDeps;
  later: Later;
  onRename(): void;
  /** Absent where there is no list to select in. */
  onSelect?: (() => void) | undefined;
}

export interface AgentDraftEditorProps {
  label: string;
  /** The definition as it is being written. */
  text: string;
  onChange(text: string): void;
  /** The agent has been created, and its page comes next. */
  onMade?(): void;
  /** Absent when there is nothing to discard. */
  onDiscard?: (() => void) | undefined;
  /** Of an agent that is part of something larger: it is taken over into that instead of being created. */
  onApply?: ((definition: AgentDefinition) => void) | undefined;
}

export interface ScratchChatProps {
  title: string;
  hint: string;
  /** What the person should know all the same. */
  note?: string | null;
  /** Makes the session, with the first message. */
  begin(): Promise<Session>;
  /** The person wants to go on with the session; absent where it cannot stay. */
  onKeep?: ((sessionId: string) => void) | undefined;
  onClose(): void;
  className?: string;
}

const EMPTY: Slots = {
  ActionCard: Nothing,
  FailureBody: Nothing,
  TemplateItems: Nothing,
  TeamItems: Nothing,
  Composer: Nothing,
  Rail: Nothing,
  Beside: ({ children }) => children,
  OpenPanelMenu: Nothing,
  ModelInput: Nothing,
  SessionMenuItems: Nothing,
  AgentDraftEditor: Nothing,
  ScratchChat: Nothing,
  panels: [],
};

const SlotsContext = createContext(EMPTY);

export function useSlots(): Slots {
  return useContext(SlotsContext);
}

/** Fills slots for everything inside; those not given stay as they are outside. */
export function FillSlots({ slots, children }: { slots: Partial<Slots>; children: ReactNode }) {
  const outer = useSlots();
  const all = useMemo(() => ({ ...outer, ...slots }), [outer, slots]);
  return <SlotsContext value={all}>{children}</SlotsContext>;
}

function Nothing() {
  return null;
}
