// The scripted server as a program. Its only argument is what it should be like, as JSON.
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { makeScriptedServer } from './scripted-server.ts';

const options = JSON.parse(process.argv[2] ?? '{}');
while (options.startsWith && !existsSync(options.startsWith)) await sleep(20);
serveStdio(() => makeScriptedServer(options));
