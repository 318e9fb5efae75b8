import { safeLine } from './terminal-text.ts';

interface LogLine {
  time?: number;
  level?: number;
  msg?: string;
  err?: { message?: string };
  issue?: string;
  issues?: string[];
  method?: string;
  path?: string;
  status?: number;
  ms?: number;
}

/** A line of the server's log for a person at a terminal: when, how bad, what, and why. */
export function readableLogLine(json: string): string {
  const line = JSON.parse(json) as LogLine;
  const time = new Date(line.time ?? Date.now()).toTimeString().slice(0, 8);
  return safeLine([time, levelOf(line), ...(line.method ? requestOf(line) : reasonOf(line))].filter(Boolean).join(' '));
}

function levelOf({ level = 30 }: LogLine): string {
  if (level >= 50) return 'error:';
  return level >= 40 ? 'warning:' : '';
}

function requestOf({ method, path, status, ms }: LogLine): string[] {
  return [`${method} ${path}`, `${status}`, `${ms} ms`];
}

function reasonOf({ msg, err, issue, issues }: LogLine): string[] {
  const reasons = [err?.message, issue, ...(issues ?? [])].filter((reason) => reason !== undefined);
  return [reasons.length === 0 ? (msg ?? '') : `${msg}: ${reasons.join('; ')}`];
}
