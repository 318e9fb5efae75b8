import { WireFrame } from '../../contract/events.ts';
import type { Parley } from '../harness/parley.ts';
import { type Gate, gate, text } from '../harness/scripted-script.ts';
import { type Frame, readFrames } from '../harness/sse-frames.ts';
import { framesUntil, matches, type TestServer } from './test-server.ts';

/** Agents think, then answer; `Hold` stops halfway until the gate opens, `Fail` is refused. */
export function scriptAnswers(server: TestServer): Gate {
  const held = gate();
  server.provider.script(({ said }) => {
    if (said.startsWith('Hold'))
      return { steps: [...text('Half'), { kind: 'gate', until: held.until }, ...text(' done')] };
    if (said.startsWith('Fail')) return { status: 401, body: '{}' };
    return { steps: [{ kind: 'reasoning', text: 'Hm. ' }, ...text('Re: ', said)] };
  });
  return held;
}

/** Frames up to the event with this number, or of this kind. */
export async function follow(
  server: TestServer,
  route: string,
  last: number | ((frame: Frame) => boolean),
  headers = {},
): Promise<Frame[]> {
  const leave = new AbortController();
  const isLast = typeof last === 'number' ? ({ id }: Frame) => Number.parseInt(id ?? '', 10) >= last : last;
  const frames = await framesUntil(server.parley.events(route, headers, leave.signal), isLast);
  leave.abort();
  for (const { data } of frames) matches(WireFrame, data);
  return frames;
}

/** The first thing that a session tells whoever knows all up to a number. */
export async function firstFrame(server: TestServer, sessionId: string, after: number): Promise<Frame | null> {
  const leave = new AbortController();
  for await (const frame of server.parley.events(
    `/api/sessions/${sessionId}/events?after=${after}`,
    {},
    leave.signal,
  )) {
    leave.abort();
    return frame;
  }
  return null;
}

/** Follows from now on: what happens after this has resolved is in it. */
export async function watch(
  server: { parley: Parley },
  route: string,
): Promise<(last: (frame: Frame) => boolean) => Promise<Frame[]>> {
  const leave = new AbortController();
  const stream = await server.parley.fetch('GET', route, undefined, {}, leave.signal);
  return async (last) => {
    const frames = await framesUntil(readFrames(stream), last);
    leave.abort();
    return frames;
  };
}

export const isDurable = ({ id }: Frame) => id !== undefined;
