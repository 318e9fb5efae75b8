import type { Vocabulary } from './completion.ts';
import type { Field } from './fields.ts';
import type { JsonValue } from './json-value.ts';
import type { Problem } from './problems.ts';

export interface FieldProps {
  field: Field;
  value: unknown;
  /** What holds when nothing is written here. */
  inherited: unknown;
  isFixed: boolean;
  /** It extends something. */
  isHeir: boolean;
  problems: readonly Problem[];
  vocabulary: Vocabulary;
  onWrite(value: JsonValue | undefined): void;
  /** The focus went on to something else. */
  onLeave(): void;
}

/** What every kind of control gets. */
export interface ControlProps extends Omit<FieldProps, 'problems' | 'onLeave'> {
  id: string;
  describedBy: string | undefined;
  isWrong: boolean;
}
