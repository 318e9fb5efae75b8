import { CLI, describeProgram } from '../cli/flows.ts';
import { openRealCodex } from './programs.ts';

describeProgram('the real Codex', openRealCodex, { ...CLI, asks: true, showsDiffs: false, tellsAsGuest: false });
