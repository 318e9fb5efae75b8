import type { TurnInput } from '../agent.ts';
import { estimateMessages, estimateTokens } from '../prompt/estimate-tokens.ts';
import type { ChatSettings } from './settings.ts';

/** After an automatic compaction the kept messages fill at most this share of the window. */
const KEPT_SHARE = 0.25;

type Window = Pick<ChatSettings, 'contextWindow' | 'compactionThreshold'>;

/** `fixedTokens`: what the request holds besides the history, which is the prompt, the tools and the framing. */
export function passesThreshold(window: Window, { summary, history }: TurnInput, fixedTokens: number): boolean {
  if (fixedTokens >= window.contextWindow) return false;
  const said = estimateTokens(summary ?? '') + estimateMessages(history);
  return said > roomForHistory(window, fixedTokens);
}

/** How many tokens of the newest messages a compaction keeps. */
export function tokensToKeep(window: Window, fixedTokens: number): number {
  return Math.min(window.contextWindow * KEPT_SHARE, roomForHistory(window, fixedTokens) / 2);
}

/**
 * When the fixed part alone passes the threshold, every turn would compact in vain: then the threshold is one of the
 * rest.
 */
function roomForHistory({ contextWindow, compactionThreshold }: Window, fixedTokens: number): number {
  const free = contextWindow * compactionThreshold - fixedTokens;
  return free > 0 ? free : Math.max(0, contextWindow - fixedTokens) * compactionThreshold;
}

/** A model that refuses may have a smaller window than it was configured with: then only what was sent is a measure. */
export function tokensToKeepAfterOverflow(window: Window, { history }: TurnInput, fixedTokens: number): number {
  return Math.min(tokensToKeep(window, fixedTokens), estimateMessages(history)) / 2;
}
