import { FileDiff } from 'lucide-react';
import { deviceMemory } from '../../../state/device-memory.ts';
import type { Panel } from '../../../state/panels.ts';
import { lazyPart } from '../../../ui/lazy-part.tsx';

/** Loaded with the panel, or at once where comments were written before the page was left. */
let comments: typeof import('./comments.ts') | null = null;

async function loadComments(): Promise<void> {
  comments = await import('./comments.ts');
}

if (deviceMemory.getItem('parley.changeComments') !== null) void loadComments().catch(() => undefined);

/** What agents changed in their workspaces, with comments on lines that go into the next message. */
export const changesPanel: Panel = {
  type: 'changes',
  icon: FileDiff,
  isOffered: () => true,
  Component: lazyPart(async () => {
    await loadComments();
    return (await import('./changes-pane.tsx')).ChangesPane;
  }),
  beforeSend: (sessionId) => comments?.tellComments(sessionId) ?? null,
};
