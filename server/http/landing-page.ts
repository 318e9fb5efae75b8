import { createHash } from 'node:crypto';

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1d22; --quiet: #5c6370; --paper: #fbfbfa; --line: #e3e4e6; --mark: #b45309; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e9ec; --quiet: #9aa1ad; --paper: #141518; --line: #2b2d33; --mark: #f0a44b; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
main { max-width: 42rem; margin: 0 auto; padding: 3rem 1.25rem; }
h1 { font-size: 1.75rem; margin: 0 0 .25rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
p { margin: .5rem 0; } .quiet { color: var(--quiet); }
pre { margin: .5rem 0; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .875rem; }
#state { border-left: 3px solid var(--mark); padding-left: .75rem; }
`;

const SCRIPT = `
const state = document.getElementById('state');
const code = new URLSearchParams(location.hash.slice(1)).get('code');
history.replaceState(null, '', location.pathname);
async function signIn() {
  const answer = await fetch('/api/sign-ins', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ code }) });
  return answer.ok ? 'You are signed in on this browser.' : (await answer.json()).detail;
}
async function look() {
  const answer = await fetch('/api/configuration');
  return answer.ok ? 'You are signed in on this browser.' : 'This browser is not signed in. "npx parley open" makes a sign-in link.';
}
(code ? signIn() : look()).catch(() => 'The server cannot be reached.').then((words) => { state.textContent = words; });
`;

const BODY = `
<main>
<h1>Parley</h1>
<p class="quiet">One conversation, many agents. Everyone sees who said what, and nothing accepted is ever lost.</p>
<p id="state" role="status">Looking…</p>
<h2>Go on from the terminal</h2>
<p>The server is up. In a second terminal, in the same folder:</p>
<pre>npx parley agents
npx parley chat -a wisp/concierge -m "what's on today?"
npx parley chat -a wisp/scheduler -m "clear my afternoon"
npx parley chat -a wisp/concierge --guest wisp/reviewer -m "what do you think?"
npx parley sessions show default</pre>
<p>Without <code>-m</code> you get an interactive session; <code>/help</code> tells what it can do.</p>
<h2>Programs</h2>
<p>Everything goes through an HTTP API. <code>/api/openapi.json</code> describes it; send the token from the data folder as a bearer token.</p>
<noscript><p>Signing a browser in needs JavaScript. The terminal does not.</p></noscript>
</main>
`;

export const LANDING_PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley</title><style>${STYLE}</style></head><body>${BODY}<script>${SCRIPT}</script></body></html>`;

/** Exactly this style and this script, nothing from anywhere else. */
export const LANDING_POLICY = [
  "default-src 'none'",
  `style-src '${hashOf(STYLE)}'`,
  `script-src '${hashOf(SCRIPT)}'`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
