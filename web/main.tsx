import './styles/app.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ParleyClient } from '../client/parley-client.ts';
import { App } from './app/app.tsx';
import { followAppearance } from './app/theme.ts';
import { startLanguage } from './i18n/languages.ts';
import { Live } from './live/live.ts';

followAppearance();
const live = new Live(new ParleyClient({ baseUrl: location.origin }));

// Not awaited here: a catalogue that shares a file with this one could not load before this file has ended.
void startLanguage().then(() =>
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <App live={live} />
    </StrictMode>,
  ),
);
