/**
 * The base URL as the APIs mean it. People write the host alone, a trailing slash or the whole endpoint, and every
 * server we know answers under `/v1`; so what is clear is completed, and what is not is left alone.
 */
export function apiBase(baseUrl: string, endpoint: string): URL {
  const url = new URL(baseUrl);
  url.hash = '';
  const path = url.pathname.replace(/\/+$/, '');
  const base = path.endsWith(endpoint) ? path.slice(0, -endpoint.length) : path;
  url.pathname = base === '' ? '/v1' : base;
  return url;
}

/** Anthropic's own tools leave `/v1` out of the base URL, whatever path stands before it. */
export function anthropicBase(baseUrl: string): URL {
  const url = apiBase(baseUrl, '/messages');
  if (!/\/v\d[^/]*$/.test(url.pathname)) url.pathname += '/v1';
  return url;
}

/** Why this cannot be used as a base URL; undefined when it can. */
export function baseUrlProblem(baseUrl: string): string | undefined {
  const url = URL.parse(baseUrl);
  if (!url) return 'baseUrl is not a URL. Use something like http://localhost:11434/v1';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'baseUrl must start with http:// or https://';
  if (url.username !== '' || url.password !== '')
    return 'baseUrl must not contain a user name or password. Use apiKey instead';
  return undefined;
}
