import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import type { Live } from '../live/live.ts';
import { LiveContext } from '../live/use-live.ts';
import { exchangeCode } from '../state/sign-in.ts';
import { FillSlots } from '../state/slots.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { savesData } from '../ui/saves-data.ts';
import { IsOffline } from '../ui/status-dot.tsx';
import { LAZY_PAGES, preloadWhenIdle, router } from './router.tsx';
import { APP_SLOTS } from './slots.ts';

const SignInPage = lazyPart(async () => (await import('../pages/sign-in/sign-in-page.tsx')).default);
const queries = new QueryClient({ defaultOptions: { queries: { staleTime: 30_000, retry: 1 } } });

export function App({ live }: { live: Live }) {
  const connection = useStore(live.store, (state) => state.connection);
  const isListed = useStore(live.store, (state) => state.isListed);
  useEffect(() => {
    void exchangeCode(live.client).then(() => live.start());
    return () => live.stop();
  }, [live]);
  useEffect(() => {
    if (isListed && !savesData()) void preloadWhenIdle(LAZY_PAGES);
  }, [isListed]);
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <LiveContext value={live}>
          <IsOffline value={connection === 'lost' || connection === 'stopping'}>
            <Page isSignedOut={connection === 'signed-out'} isReady={isListed || connection === 'lost'} />
          </IsOffline>
        </LiveContext>
      </QueryClientProvider>
    </CSPProvider>
  );
}

/** Nothing is asked of the server before it is known who is asking. */
function Page({ isSignedOut, isReady }: { isSignedOut: boolean; isReady: boolean }) {
  if (isSignedOut) return <SignInPage />;
  if (!isReady) return null;
  return (
    <FillSlots slots={APP_SLOTS}>
      <RouterProvider router={router} />
    </FillSlots>
  );
}
