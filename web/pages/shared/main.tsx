import '../../styles/app.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouteClient } from '../../../client/route-client.ts';
import { LeavingDialog } from '../../markdown/leaving.tsx';
import { OwnContents } from '../../markdown/safe-link.tsx';
import { pageKeyHeaders } from '../../state/device-memory.ts';
import { startLanguage } from '../../state/languages.ts';
import { followAppearance } from '../../state/theme.ts';
import { watchPreloads } from '../../ui/import-twice.ts';
import { SharedPage } from './shared-page.tsx';
import { tokenIn } from './use-reading.ts';

watchPreloads();
followAppearance();
const client = new RouteClient({ baseUrl: location.origin, headers: pageKeyHeaders });

// Not awaited here: a catalogue that shares a file with this one could not load before this file has ended.
void startLanguage().then(() =>
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <OwnContents value={false}>
          <SharedPage client={client} token={tokenIn(location.pathname)} />
        </OwnContents>
        <LeavingDialog />
      </CSPProvider>
    </StrictMode>,
  ),
);
