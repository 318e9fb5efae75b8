import type { Answer, FetchInit } from '../../../client/transport.ts';

/** `fetch` for a body of which one wants to know how much has been sent: only an XMLHttpRequest says so. */
export function fetchTelling(
  url: string,
  { method, headers, body, signal }: FetchInit,
  tell: (sentBytes: number) => void,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => tell(loaded);
    request.onload = () => resolve(toAnswer(request));
    request.onerror = () => reject(new TypeError('The upload failed.'));
    request.onabort = () => reject(signal?.reason);
    signal?.throwIfAborted();
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    request.send(body);
  });
}

/** Headers that tell when to try again are kept, like all others. */
function toAnswer(request: XMLHttpRequest): Answer {
  const lines = request.getAllResponseHeaders().trim().split(/\r?\n/).filter(Boolean);
  const headers = lines.map((line): [string, string] => {
    const end = line.indexOf(':');
    return [line.slice(0, end), line.slice(end + 1).trim()];
  });
  const { status, responseText } = request;
  return new Response(EMPTY.has(status) ? null : responseText, { status, headers });
}

const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);
