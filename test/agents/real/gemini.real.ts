import { describeProgram } from '../cli/flows.ts';
import { ACP, openGeminiAcp } from './acp-programs.ts';

describeProgram('the real Gemini CLI', openGeminiAcp, { ...ACP, tellsAsGuest: false, survivesKill: false });
