import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { beginBuilding } from '../../../client/begin-building.ts';
import type { AgentTemplate } from '../../../contract/agents.ts';
import { BUILDER } from '../../../contract/builder.ts';
import { KindIcon } from '../../features/agent-editor/kind-field.tsx';
import { putSpoken } from '../../features/composer/voice/dictation.ts';
import { useDictation, VoiceButton } from '../../features/composer/voice/voice-button.tsx';
import { FoundAgents } from '../../features/discovery/found-agents.tsx';
import { useText } from '../../i18n/agent-words.ts';
import { builtInText } from '../../i18n/text.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { KINDS, kindHint, kindTitle } from '../../state/agent-kinds.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { Button } from '../../ui/button.tsx';
import { Loaded, Section } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';
import type { NewAgentSource } from './use-beginning.ts';

/** By saying what it should do, from scratch, from a template, or from something that was found here. */
export function Beginnings() {
  return (
    <>
      <DescribeAgent />
      <Kinds />
      <Templates />
      <FoundAgents />
    </>
  );
}

/** From scratch, as any kind of agent. */
function Kinds() {
  const text = useText();
  return (
    <Section title={text('agents.blank')} hint={text('agents.blankHint')}>
      <ul className="grid gap-2 sm:grid-cols-2">
        {KINDS.map((kind) => (
          <Beginning
            key={kind}
            source={{ kind }}
            tile={<KindIcon kind={kind} />}
            name={text(kindTitle(kind))}
            description={text(kindHint(kind))}
          />
        ))}
      </ul>
    </Section>
  );
}

function Templates() {
  const text = useText();
  const { client } = useLiveConnection();
  const version = useLive((state) => state.configurationVersion);
  const templates = useQuery({ queryKey: ['templates', version], queryFn: () => client.call('listTemplates') });
  return (
    <Section title={text('agents.templates')} hint={text('agents.templatesHint')}>
      <Loaded query={templates}>
        {({ templates: list }) => (
          <ul className="grid gap-2 sm:grid-cols-2">
            {list.filter(isForPeople).map(({ templateId, displayName, description, icon }) => (
              <Beginning
                key={templateId}
                source={{ template: templateId }}
                tile={<Tile id={templateId} icon={icon} />}
                name={builtInText(displayName ?? templateId)}
                description={builtInText(description ?? '')}
              />
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

/** The builder is there already. */
function isForPeople({ templateId }: AgentTemplate): boolean {
  return templateId !== BUILDER.template;
}

function Tile({ id, icon }: { id: string; icon?: string | null | undefined }) {
  return icon ? (
    <span aria-hidden="true" className="grid size-7 flex-none place-items-center text-lg">
      {icon}
    </span>
  ) : (
    <AgentTile agentId={id} size={28} />
  );
}

function Beginning({
  source,
  tile,
  name,
  description,
}: {
  source: NewAgentSource;
  tile: ReactNode;
  name: string;
  description: string;
}) {
  return (
    <li>
      <Link
        to="/agents/new"
        search={source}
        className="flex h-full items-start gap-2.5 rounded-lg border border-line bg-surface p-3 hover:border-line-strong hover:bg-hover"
      >
        {tile}
        <span>
          <span className="block font-semibold">{name}</span>
          <span className="block text-fg-2">{description}</span>
        </span>
      </Link>
    </li>
  );
}

/** In one's own words, written or spoken: the builder goes on from there. */
function DescribeAgent() {
  const text = useText();
  const box = useRef<HTMLTextAreaElement>(null);
  const [words, setWords] = useState('');
  const latest = useRef(words);
  latest.current = words;
  const { dictation, heard } = useDictation({ text: () => latest.current, put: setWords });
  const isDictating = heard.phase !== 'off';
  const { begin, isBusy } = useBeginning();
  const canBegin = words.trim() !== '' && !isBusy && !isDictating;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (canBegin) begin(words.trim());
  };
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Escape' && isDictating) dictation.cancel();
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    submit(event);
  };
  const spoken = putSpoken(words, heard.at, `${heard.sure} ${heard.guess}`);
  return (
    <Section title={text('builder.title')} hint={text('builder.hint')}>
      <form onSubmit={submit} className="rounded-lg border border-line-strong bg-raised focus-within:border-fg-3">
        <textarea
          ref={box}
          rows={3}
          aria-label={text('builder.box')}
          placeholder={text('builder.example')}
          value={isDictating ? spoken.before + spoken.words + spoken.after : words}
          readOnly={isDictating}
          onChange={({ target }) => setWords(target.value)}
          onKeyDown={press}
          className="block w-full resize-y bg-transparent px-3.5 pt-2.5 outline-none placeholder:text-fg-3"
        />
        <div className="flex items-center justify-end gap-1 px-2 pb-2">
          <VoiceButton dictation={dictation} phase={heard.phase} caret={() => box.current?.selectionStart ?? 0} />
          <Button look="primary" type="submit" disabled={!canBegin}>
            {text('builder.begin')}
          </Button>
        </div>
      </form>
    </Section>
  );
}

function useBeginning() {
  const { client } = useLiveConnection();
  const navigate = useNavigate();
  const [isBusy, setBusy] = useState(false);
  const begin = (words: string) => {
    setBusy(true);
    beginBuilding(client, words)
      .then((sessionId) => navigate({ to: '/sessions/$sessionId', params: { sessionId } }))
      .catch((error: Error) => notify({ title: error.message }))
      .finally(() => setBusy(false));
  };
  return { begin, isBusy };
}
