import { File, ListTodo, type LucideIcon, NotebookText, Table2 } from 'lucide-react';
import type { ArtifactKind } from '../../contract/artifacts.ts';

export const ARTIFACT_ICONS: Readonly<Record<ArtifactKind, LucideIcon>> = {
  list: ListTodo,
  note: NotebookText,
  view: Table2,
  file: File,
};

export function ArtifactIcon({ kind }: { kind: ArtifactKind }) {
  const Icon = ARTIFACT_ICONS[kind];
  return <Icon size={15} aria-hidden="true" className="flex-none text-fg-3" />;
}
