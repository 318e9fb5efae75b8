import type { Tool } from './tool.ts';

/** Tools that belong together, and how a skill teaches their use. */
export interface Plugin {
  readonly id: string;
  readonly description: string;
  readonly tools: readonly Tool[];
  /** Its SKILL.md; null when its tools are of no use on a command line. */
  readonly skillPath: string | null;
  /** What a skill's operations are given to. */
  readonly command: string;
}

export function commandOf(pluginId: string): string {
  return `parley tool ${pluginId}`;
}
