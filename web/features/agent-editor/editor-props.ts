import type { JsonObject } from './json-value.ts';

export interface EditorProps {
  text: string;
  onChange(text: string): void;
  tab: 'form' | 'json';
  onTab(tab: 'form' | 'json'): void;
  /** What it gets from what it extends. */
  inherited: JsonObject;
  /** An agent that exists keeps its name; null for one that is being made. */
  fixedId: string | null;
  isChanged: boolean;
  saveLabel: string;
  /** Fails with what the server says of it. */
  onSave(definition: JsonObject): Promise<void>;
  /** Absent: there is nothing to go back to. */
  onDiscard?: (() => void) | undefined;
}
