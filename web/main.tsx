import './styles/app.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ParleyClient } from '../client/parley-client.ts';
import { App } from './app/app.tsx';
import { Live } from './live/live.ts';

const live = new Live(new ParleyClient({ baseUrl: location.origin }));

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App live={live} />
  </StrictMode>,
);
