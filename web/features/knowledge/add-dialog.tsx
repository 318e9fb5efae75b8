import { FileText, NotebookText } from 'lucide-react';
import { useState } from 'react';
import { useArtifacts } from '../../artifacts/use-artifacts.ts';
import { useText } from '../../i18n/knowledge-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { FIELD_LINE } from '../../ui/field.tsx';
import { useKnowledge, useKnowledgeVerb } from './use-knowledge.ts';

interface Props {
  agentId: string;
  name: string;
  onClose(): void;
}

interface Choice {
  readonly id: string;
  readonly name: string;
  readonly isNote: boolean;
  add(): Promise<unknown>;
}

const SHOWN = 100;

/** Notes, and files that other agents have already. */
export function AddDialog({ agentId, name, onClose }: Props) {
  const text = useText();
  const attempt = useKnowledgeVerb();
  const [words, setWords] = useState('');
  const choices = useChoices(agentId);
  const wanted = words.trim().toLowerCase();
  const shown = choices.filter((choice) => choice.name.toLowerCase().includes(wanted)).slice(0, SHOWN);
  const choose = async (choice: Choice) => {
    if (await attempt(() => choice.add())) onClose();
  };
  return (
    <Dialog open onClose={onClose} title={text('knowledge.addTo', { name })}>
      <input
        type="search"
        value={words}
        onChange={({ target }) => setWords(target.value)}
        aria-label={text('knowledge.choose')}
        placeholder={text('knowledge.choose')}
        className={`${FIELD_LINE} touch:h-11 touch:text-[16px]`}
      />
      {shown.length === 0 && (
        <p role="status" className="py-3 text-fg-2">
          {text(choices.length === 0 ? 'knowledge.noneToAdd' : 'knowledge.nothingFound')}
        </p>
      )}
      <ul className="mt-2">
        {shown.map((choice) => (
          <li key={choice.id}>
            <button
              type="button"
              onClick={() => void choose(choice)}
              className="flex min-h-9 w-full items-center gap-2 rounded-md px-2 py-1 text-left hover:bg-hover touch:min-h-11"
            >
              {choice.isNote ? (
                <NotebookText size={15} aria-hidden="true" className="flex-none text-fg-3" />
              ) : (
                <FileText size={15} aria-hidden="true" className="flex-none text-fg-3" />
              )}
              <span dir="auto" className="min-w-0 truncate">
                {choice.name}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function useChoices(agentId: string): Choice[] {
  const { client } = useLiveConnection();
  const notes = useArtifacts({ kind: 'note' }).data ?? [];
  const sources = useKnowledge().data?.sources ?? [];
  const known = new Set(sources.map(({ noteId }) => noteId));
  const others = sources.filter(({ agents }) => !agents.some((use) => use.agentId === agentId));
  return [
    ...notes
      .filter(({ id }) => !known.has(id))
      .map(({ id, name }) => ({
        id,
        name,
        isNote: true,
        add: () => client.call('addKnowledgeNote', { body: { noteId: id, agent: agentId } }),
      })),
    ...others.map(({ id, name, kind }) => ({
      id,
      name,
      isNote: kind === 'note',
      add: () => client.call('useKnowledge', { sourceId: id, agentId, body: {} }),
    })),
  ];
}
