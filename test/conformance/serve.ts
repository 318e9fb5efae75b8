// The `parley` program with one more kind of agent. A kind of the product has a line in each of the two lists instead.
import './scripted/settings.ts';
import { execute } from '../../cli/program.ts';
import { AGENT_KINDS } from '../../server/agents/kinds.ts';
import { scriptedKind } from './scripted/kind.ts';

AGENT_KINDS.push(scriptedKind);
await execute(process.argv.slice(2));
