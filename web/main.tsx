import './styles/app.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ParleyClient } from '../client/parley-client.ts';
import { App } from './app/app.tsx';
import { followAppearance } from './app/theme.ts';
import { Live } from './live/live.ts';

followAppearance();
const live = new Live(new ParleyClient({ baseUrl: location.origin }));

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App live={live} />
  </StrictMode>,
);
