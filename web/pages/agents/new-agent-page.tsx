import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useText } from '../../i18n/text.ts';
import { Loaded, Page } from '../page.tsx';
import { Beginnings } from './beginnings-list.tsx';
import { useBeginning } from './use-beginning.ts';

const NewAgentEditor = lazy(() =>
  import('./editor/new-agent-editor.tsx').then((module) => ({ default: module.NewAgentEditor })),
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
  const text = useText();
  const beginning = useBeginning(route.useSearch());
  return (
    <Loaded query={beginning}>
      {(definition) => (
        <Suspense fallback={<p className="text-fg-3">{text('app.loading')}</p>}>
          <NewAgentEditor definition={definition} />
        </Suspense>
      )}
    </Loaded>
  );
}
