import type { Message } from '../contract/messages.ts';
import { look } from './output.ts';
import type { Speakers } from './speakers.ts';
import { safeText } from './terminal-text.ts';

/** One message as `Speaker: words`. */
export function formatMessage(message: Message, speakers: Speakers): string {
  const speaker = message.role === 'user' ? look().bold('User') : speakers.name(message.agent, message.guest);
  const state = message.status === 'complete' ? '' : look().dim(` (${message.status})`);
  return `${speaker}${state}: ${safeText(message.text)}`;
}
