import '../../styles/app.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ShareClient } from '../../../client/share-client.ts';
import { pageKeyHeaders } from '../../app/page-key.ts';
import { followAppearance } from '../../app/theme.ts';
import { startLanguage } from '../../i18n/languages.ts';
import { LeavingDialog } from '../../markdown/leaving.tsx';
import { OwnPictures } from '../../markdown/safe-link.tsx';
import { SharedPage } from './shared-page.tsx';
import { tokenIn } from './token.ts';

followAppearance();
const client = new ShareClient({ baseUrl: location.origin, headers: pageKeyHeaders });

// Not awaited here: a catalogue that shares a file with this one could not load before this file has ended.
void startLanguage().then(() =>
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <OwnPictures value={false}>
          <SharedPage client={client} token={tokenIn(location.pathname)} />
        </OwnPictures>
        <LeavingDialog />
      </CSPProvider>
    </StrictMode>,
  ),
);
