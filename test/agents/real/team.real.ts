import { describeTeam, ofCommandLine } from '../team.ts';
import { openRealClaude, openRealCodex } from './programs.ts';

describeTeam('the real Claude Code', async () => ofCommandLine(await openRealClaude()));
describeTeam('the real Codex', async () => ofCommandLine(await openRealCodex()));
