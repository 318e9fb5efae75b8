import { commandOf, type Plugin } from '../../tools/plugin.ts';
import { skillPathOf } from '../../tools/skills.ts';
import type { Artifacts } from '../artifacts.ts';
import { historyTools } from './history-tools.ts';
import { listChangingTools } from './list-changing-tools.ts';
import { listReadingTools } from './list-reading-tools.ts';

export function listsPlugin(artifacts: Artifacts): Plugin {
  return {
    id: 'lists',
    description: "The user's lists: show, add, mark, change, move and remove items; create and change lists.",
    skillPath: skillPathOf('lists'),
    command: commandOf('lists'),
    tools: [...listReadingTools(artifacts), ...listChangingTools(artifacts), ...historyTools(artifacts, 'list')],
  };
}
