import { CLI, describeProgram } from '../cli/flows.ts';
import { openRealClaude } from './programs.ts';

describeProgram('the real Claude Code', openRealClaude, { ...CLI, plans: true, asks: true });
