import { describeExec } from '../cli/exec-flows.ts';
import { openRealCodexExec } from './programs.ts';

describeExec('the real Codex without app-server', openRealCodexExec);
