import { describeTogether } from '../together.ts';
import { openRealClaude, openRealCodex } from './programs.ts';

describeTogether('the real Claude Code, the real Codex', openRealClaude, openRealCodex);
