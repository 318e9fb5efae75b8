import { describeProgram } from '../cli/flows.ts';
import { ACP, openCodexAcp } from './acp-programs.ts';

describeProgram('the real codex-acp', openCodexAcp, { ...ACP, steers: true, showsDiffs: false, tellsAsGuest: false });
