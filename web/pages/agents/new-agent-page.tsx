import { getRouteApi } from '@tanstack/react-router';
import { useText } from '../../i18n/agent-words.ts';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { Loaded, Page } from '../../ui/page.tsx';
import { Beginnings } from './beginnings-list.tsx';
import { useBeginning } from './use-beginning.ts';

const NewAgentEditor = lazyPart(
  async () => (await import('../../features/agent-editor/unmade-agent-editor.tsx')).NewAgentEditor,
  {
    loading: EditorLoading,
  },
);
const route = getRouteApi('/agents/new');

/** First what to begin with, then its definition. */
export function NewAgentPage() {
  const text = useText();
  const search = route.useSearch();
  const isChosen = Object.keys(search).length > 0;
  return (
    <Page title={text('dashboard.newAgent')}>
      {isChosen ? <Definition key={JSON.stringify(search)} /> : <Beginnings />}
    </Page>
  );
}

function Definition() {
  const beginning = useBeginning(route.useSearch());
  return <Loaded query={beginning}>{(definition) => <NewAgentEditor definition={definition} />}</Loaded>;
}

function EditorLoading() {
  const text = useText();
  return <p className="text-fg-3">{text('app.loading')}</p>;
}
