// Runs while the scripts of the app are still being loaded: asks for the data of the first view, and for the scripts of a
// session when one is opened. A file of its own: the page allows no inline scripts.
(() => {
  const session = /^\/sessions\/([\w-]+)\/?$/.exec(location.pathname)?.[1];
  const scripts = document.querySelector('meta[name="session-scripts"]')?.content.split(' ') ?? [];
  for (const href of session ? scripts : []) {
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.href = href;
    document.head.append(link);
  }
  // A sign-in link is exchanged first: until then every answer would be a refusal.
  if (location.hash.includes('code=')) return;
  const headers = { 'Parley-Page-Key': readKey() };
  if (!headers['Parley-Page-Key']) return;
  const answers = new Map();
  const paths = [
    '/api/sessions?limit=100',
    '/api/sessions?limit=100&pinned=true',
    '/api/actions?limit=500',
    '/api/agents?hidden=true',
  ];
  if (session) paths.push(`/api/sessions/${session}/snapshot`);
  for (const path of paths) {
    const answer = fetch(path, { headers });
    answer.catch(() => undefined);
    answers.set(path, answer);
  }
  globalThis.parleyEarlyAnswers = answers;

  // The same as in app/page-key.ts.
  function readKey() {
    try {
      return localStorage.getItem('parley.page-key');
    } catch {
      return null;
    }
  }
})();
