// Shows what the server pushes when no page of the app is in sight, and opens the session that it is about. It answers no
// requests: pages load as they do without it.
const WORDS = {
  en: {
    approval: '{agent} wants to use {tool}',
    question: '{agent} has a question',
    limit: '{agent} reached a limit',
    failure: '{agent} failed',
    test: 'Notifications work',
  },
  de: {
    approval: '{agent} möchte {tool} verwenden',
    question: '{agent} hat eine Frage',
    limit: '{agent} hat eine Grenze erreicht',
    failure: '{agent} ist gescheitert',
    test: 'Benachrichtigungen funktionieren',
  },
};

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('push', (event) => event.waitUntil(show(event.data.json())));
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});

async function show(message) {
  const pages = await self.clients.matchAll({ type: 'window' });
  // A page in sight shows what waits by itself.
  if (message.kind !== 'test' && pages.some(({ visibilityState }) => visibilityState === 'visible')) return;
  const words = WORDS[message.language.slice(0, 2)] ?? WORDS.en;
  const title = (words[message.kind] ?? message.kind).replace(/\{(agent|tool)\}/g, (_, name) => message[name]);
  await self.registration.showNotification(title, {
    body: message.session,
    tag: message.tag,
    icon: '/icon-192.png',
    badge: '/icon-192.png',
    data: message.url,
  });
}

async function open(url) {
  const [page] = await self.clients.matchAll({ type: 'window' });
  if (!page) return self.clients.openWindow(url);
  await page.focus();
  return page.navigate(url);
}
