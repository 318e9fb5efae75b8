import { openScripted } from './cli/scripted/open.ts';
import { describeTogether } from './together.ts';

describeTogether(
  'a scripted Claude Code, a scripted Codex',
  () => openScripted('claude'),
  () => openScripted('codex'),
);
