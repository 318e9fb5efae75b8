// The scripted server as a program. Its only argument is what it should be like, as JSON.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { makeScriptedServer } from './scripted-server.ts';

const options = JSON.parse(process.argv[2] ?? '{}');
serveStdio(() => makeScriptedServer(options));
