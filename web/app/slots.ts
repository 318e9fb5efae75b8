import { LazyActionCard } from '../features/actions/lazy-action-card.tsx';
import { TeamItems } from '../features/teams/team-items.tsx';
import { TemplateItems } from '../features/templates/template-items.tsx';
import type { Slots } from '../state/slots.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';

/** What features show inside each other on every page. */
export const APP_SLOTS: Partial<Slots> = {
  ActionCard: LazyActionCard,
  FailureBody: lazyPart(async () => (await import('../features/actions/failure-body.tsx')).FailureBody),
  TemplateItems,
  TeamItems,
};
