import { FilePenLine } from 'lucide-react';
import { BUILDER } from '../../../../contract/builder.ts';
import type { Panel } from '../../../state/panels.ts';
import { lazyPart } from '../../../ui/lazy-part.tsx';
import { lastProposal, tellHandEdit } from './proposal.ts';

/** The agent that the builder drafts, beside the conversation about it. */
export const builderPanel: Panel = {
  type: 'builder',
  icon: FilePenLine,
  isOffered: ({ agentId }) => agentId === BUILDER.agentId,
  opensItself: (state) => lastProposal(state) !== null,
  Component: lazyPart(async () => (await import('./draft-pane.tsx')).DraftPane),
  beforeSend: tellHandEdit,
};
