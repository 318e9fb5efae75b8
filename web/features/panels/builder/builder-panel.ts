import { FilePenLine } from 'lucide-react';
import type { SessionState } from '../../../../client/session-state.ts';
import { BUILDER, BUILDER_TOOLS, TEAM_CALLS } from '../../../../contract/builder.ts';
import { deviceMemory } from '../../../state/device-memory.ts';
import type { Panel } from '../../../state/panels.ts';
import { lazyPart } from '../../../ui/lazy-part.tsx';

/** Loaded with the panel, or at once where a draft was changed by hand before the page was left. */
let proposals: typeof import('./proposal.ts') | null = null;

async function loadProposals(): Promise<void> {
  proposals = await import('./proposal.ts');
}

if (deviceMemory.getItem('parley.handEdits') !== null) void loadProposals().catch(() => undefined);

/** The agent that the builder drafts, beside the conversation about it. */
export const builderPanel: Panel = {
  type: 'builder',
  icon: FilePenLine,
  isOffered: ({ agentId }) => agentId === BUILDER.agentId,
  opensItself: (state) => state.session?.agentId === BUILDER.agentId && hasDraft(state),
  Component: lazyPart(async () => {
    await loadProposals();
    return (await import('./draft-pane.tsx')).DraftPane;
  }),
  beforeSend: (sessionId) => proposals?.tellHandEdit(sessionId) ?? null,
};

/** Whether the builder has begun to draft. */
function hasDraft({ live, messages }: SessionState): boolean {
  if (live?.parts.some((part) => part.kind === 'call' && isDraft(part.call.name))) return true;
  return [...messages.values()].some(({ parts }) =>
    parts.some((part) => part.type === 'tool_call' && isDraft(part.name)),
  );
}

function isDraft(name: string): boolean {
  return name === BUILDER_TOOLS.draft || TEAM_CALLS.has(name);
}
