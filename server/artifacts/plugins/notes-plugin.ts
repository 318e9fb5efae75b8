import { commandOf, type Plugin } from '../../tools/plugin.ts';
import { skillPathOf } from '../../tools/skills.ts';
import type { Artifacts } from '../artifacts.ts';
import { historyTools } from './history-tools.ts';
import { noteReadingTools } from './note-reading-tools.ts';
import { noteWritingTools } from './note-writing-tools.ts';

export function notesPlugin(artifacts: Artifacts): Plugin {
  return {
    id: 'notes',
    description: "The user's notes: read, search, write, append to and edit them.",
    skillPath: skillPathOf('notes'),
    command: commandOf('notes'),
    tools: [...noteReadingTools(artifacts), ...noteWritingTools(artifacts), ...historyTools(artifacts, 'note')],
  };
}
