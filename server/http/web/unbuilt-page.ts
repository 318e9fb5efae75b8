import { WebFile } from './web-file.ts';

const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley</title><link rel="stylesheet" href="/unbuilt.css"><script type="module" src="/unbuilt.js"></script></head>
<body><main>
<h1>Parley</h1>
<p class="quiet">One conversation, many agents. Everyone sees who said what, and no accepted message is lost.</p>
<p id="state" role="status">Checking…</p>
<h2>The web app hasn't been built yet</h2>
<p>In the Parley folder:</p>
<pre>npm run build</pre>
<p>Then reload this page; you don't have to restart the server. <code>npm start</code> builds it automatically.</p>
<h2>In the meantime, use the terminal</h2>
<pre>npx parley agents
npx parley chat -a wisp/concierge -m "what's on today?"</pre>
<noscript><p>Signing in a browser needs JavaScript. The terminal doesn't.</p></noscript>
</main></body></html>
`;

const STYLE = `:root { color-scheme: light dark; --ink: #1b1d22; --quiet: #5c6370; --paper: #fbfbfa; --line: #e3e4e6; --mark: #b45309; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e9ec; --quiet: #9aa1ad; --paper: #141518; --line: #2b2d33; --mark: #f0a44b; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
main { max-width: 42rem; margin: 0 auto; padding: 3rem 1.25rem; }
h1 { font-size: 1.75rem; margin: 0 0 .25rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
p { margin: .5rem 0; } .quiet { color: var(--quiet); }
pre { margin: .5rem 0; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .875rem; }
#state { border-left: 3px solid var(--mark); padding-left: .75rem; }
`;

const SCRIPT = `const state = document.getElementById('state');
const code = new URLSearchParams(location.hash.slice(1)).get('code');
history.replaceState(null, '', location.pathname);
async function signIn() {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch('/api/sign-ins', { method: 'POST', headers, body: JSON.stringify({ code }) });
  const body = await answer.json();
  if (!answer.ok) return body.detail;
  localStorage.setItem('parley.page-key', body.key);
  return 'You are signed in on this browser.';
}
async function look() {
  const headers = { 'Parley-Page-Key': localStorage.getItem('parley.page-key') ?? '' };
  const answer = await fetch('/api/configuration', { headers });
  return answer.ok ? 'You are signed in on this browser.' : 'This browser is not signed in. Run "npx parley open" for a sign-in link.';
}
const said = (code ? signIn() : look()).catch(() => 'The server is unreachable.');
state.textContent = await said;
`;

/** What is served as long as the web app is not built: says how to build it, and signs a browser in all the same. */
export const UNBUILT: ReadonlyMap<string, WebFile> = new Map(
  Object.entries({ '/index.html': PAGE, '/unbuilt.css': STYLE, '/unbuilt.js': SCRIPT }).map(([name, text]) => [
    name,
    new WebFile(name, Buffer.from(text)),
  ]),
);
