import { en as first } from '../../web/i18n/en.ts';
import { enAgents } from '../../web/i18n/en-agents.ts';
import { enKnowledge } from '../../web/i18n/en-knowledge.ts';
import { enPages } from '../../web/i18n/en-pages.ts';
import { enPanels } from '../../web/i18n/en-panels.ts';
import { enSchedules } from '../../web/i18n/en-schedules.ts';
import { enWebhooks } from '../../web/i18n/en-webhooks.ts';

/** All that the web app says in English. */
export const en = { ...first, ...enAgents, ...enKnowledge, ...enPages, ...enPanels, ...enSchedules, ...enWebhooks };
