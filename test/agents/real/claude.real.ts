import { describeProgram } from '../cli/flows.ts';
import { openRealClaude } from './programs.ts';

describeProgram('the real Claude Code', openRealClaude, { showsDiffs: true });
